import assert from 'node:assert/strict';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { Engine, type WorkflowJson } from '../engine/engine';
import { outputOf } from '../engine/outputOf';
import { projectRoot } from '../projectRoot';
import { samples } from '../sandbox/samples';
import { startSandbox, type Sandbox } from '../sandbox/server';
import { readExample } from './readExample';

const OUTPUT = join(projectRoot, 'output');

/** `npm start`: runs both examples on n8n's engine against a sandbox, and shows what happened. */
async function main(): Promise<void> {
	const sandbox = await startSandbox();
	say(`Workchat sandbox at ${sandbox.url}\n`);
	try {
		const engine = await Engine.start({ credential: sandbox.credential });
		await sendFeedVideo(engine, sandbox);
		await downloadFiles(engine, sandbox);
		say('All as it should be.');
		await engine.stop();
	} finally {
		await sandbox.stop();
	}
}

async function sendFeedVideo(engine: Engine, sandbox: Sandbox): Promise<void> {
	const workflow = await readExample('send-feed-video', { sandbox: sandbox.url, files: OUTPUT });
	const items = await runExample(engine, workflow, 'Send Feed Video');
	for (const [index, { json }] of items.entries()) {
		say(`  ${sandbox.messages[index]?.toId}  ${JSON.stringify(json)}`);
	}
	const recipients = sandbox.messages.map(({ toId }) => toId);
	assert.deepEqual(recipients, ['customer-1', 'customer-2', 'customer-3']);
	assert.equal(items.length, 3);
	say('');
}

async function downloadFiles(engine: Engine, sandbox: Sandbox): Promise<void> {
	await mkdir(OUTPUT, { recursive: true });
	const workflow = await readExample('download-files', { sandbox: sandbox.url, files: OUTPUT });
	const items = await runExample(engine, workflow, 'Write File to Disk');
	const originals = Object.values(samples);
	for (const [index, { json, binary }] of items.entries()) {
		const path = String(json.fileName);
		const saved = await readFile(path);
		say(`  ${path}  ${binary?.data?.mimeType}  ${saved.length} bytes`);
		assert(originals[index]?.content.equals(saved), `${path} differs from the original file`);
	}
	assert.equal(items.length, originals.length);
	say(`  ${items.length} files, byte for byte as they were sent\n`);
}

async function runExample(engine: Engine, workflow: WorkflowJson, lastNode: string) {
	say(workflow.name);
	const run = await engine.run(workflow);
	const { error } = run.data.resultData;
	assert(!error, `the workflow failed: ${error?.message}. ${error?.description ?? ''}`);
	return outputOf(run, lastNode);
}

function say(line: string): void {
	process.stdout.write(`${line}\n`);
}

main().catch((error: Error) => {
	process.stderr.write(`Something is off: ${error.message}\n`);
	process.exitCode = 1;
});
