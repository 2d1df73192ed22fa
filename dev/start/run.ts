import assert from 'node:assert/strict';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { DeduplicationStandIn } from '../engine/deduplicationStandIn';
import { Engine } from '../engine/engine';
import { outputOf } from '../engine/workflows';
import { projectRoot } from '../projectRoot';
import { samples } from '../sandbox/samples';
import { startSandbox, type Sandbox } from '../sandbox/server';
import { readExample, type ExampleName } from './readExample';

const OUTPUT = join(projectRoot, 'output');

/** `npm start`: runs two examples on n8n's engine against a sandbox, and shows what happened. */
async function main(): Promise<void> {
	const sandbox = await startSandbox();
	say(`Workchat sandbox at ${sandbox.url}`);
	try {
		const engine = await Engine.start({ credential: sandbox.credential });
		engine.deduplicator = new DeduplicationStandIn(undefined, engine.workflowId);
		await sendFeedVideo(engine, sandbox);
		await downloadFiles(engine, sandbox);
		say(
			'\nAll as it should be. Next, see it in n8n, with everything in place to click: npm run dev',
		);
		await engine.stop();
	} finally {
		await sandbox.stop();
	}
}

async function sendFeedVideo(engine: Engine, sandbox: Sandbox): Promise<void> {
	const items = await runExample(engine, sandbox, 'send-feed-video', 'Send Feed Video');
	const recipients = sandbox.messages.map(({ toId }) => toId);
	for (const [index, { json }] of items.entries()) {
		say(`  ${recipients[index]}  ${JSON.stringify(json)}`);
	}
	assert.deepEqual(recipients, ['customer-1', 'customer-2', 'customer-3']);
	assert.equal(items.length, 3);
}

async function downloadFiles(engine: Engine, sandbox: Sandbox): Promise<void> {
	await mkdir(OUTPUT, { recursive: true });
	const items = await runExample(engine, sandbox, 'download-files', 'Write File to Disk');
	const originals = Object.values(samples);
	for (const [index, { json, binary }] of items.entries()) {
		const path = String(json.fileName);
		const saved = await readFile(path);
		say(`  ${path}  ${binary?.data?.mimeType}  ${saved.length} bytes`);
		assert(originals[index]?.content.equals(saved), `${path} differs from the original file`);
	}
	assert.equal(items.length, originals.length);
	say(`  ${items.length} files, byte for byte as they were sent`);
}

async function runExample(engine: Engine, { url }: Sandbox, name: ExampleName, lastNode: string) {
	const workflow = await readExample(name, { sandbox: url, files: OUTPUT });
	say(`\n${workflow.name}`);
	const run = await engine.run(workflow);
	const { error } = run.data.resultData;
	assert(!error, `the workflow failed: ${error?.message}. ${error?.description ?? ''}`);
	return outputOf(run, lastNode);
}

const say = (line: string) => process.stdout.write(`${line}\n`);

main().catch((error: Error) => {
	process.stderr.write(`Something is off: ${error.message}\n`);
	process.exitCode = 1;
});
