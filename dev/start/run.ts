import assert from 'node:assert/strict';
import { mkdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

import { DeduplicationStandIn } from '../engine/deduplicationStandIn';
import { Engine } from '../engine/engine';
import { outputOf } from '../engine/workflows';
import { projectRoot } from '../projectRoot';
import { samples } from '../sandbox/samples';
import { startSandbox, type Sandbox } from '../sandbox/server';
import { readExample, type ExampleName } from './readExample';

const OUTPUT = join(projectRoot, 'output');

/** `npm start`: runs two examples on n8n's engine against a sandbox, and shows the results. */
async function main(): Promise<void> {
	const sandbox = await startSandbox();
	say(`The sandbox stands in for the Workchat service at ${sandbox.url}.`);
	try {
		const engine = await Engine.start({ credential: sandbox.credential });
		engine.deduplicator = new DeduplicationStandIn(undefined, engine.workflowId);
		await sendFeedVideo(engine, sandbox);
		await downloadFiles(engine, sandbox);
		say('\nEverything works. To try the workflows in n8n itself: npm run dev');
		await engine.stop();
	} finally {
		await sandbox.stop();
	}
}

async function sendFeedVideo(engine: Engine, sandbox: Sandbox): Promise<void> {
	const recipients = () => sandbox.messages.map(({ toId }) => toId);
	const sent = await runExample(engine, sandbox, 'send-feed-video', 'Sent');
	for (const [index, { json }] of sent.entries()) {
		say(`  sent to ${recipients()[index]}: ${JSON.stringify(json)}`);
	}
	assert.equal(sent.length, 3);
	const skipped = await runExample(engine, sandbox, 'send-feed-video', 'Already Sent', ' again');
	for (const { json } of skipped) say(`  not sent again to ${json.toId}: ${json.reason}`);
	assert.equal(skipped.length, 3);
	assert.deepEqual(recipients(), ['customer-1', 'customer-2', 'customer-3']);
}

async function downloadFiles(engine: Engine, sandbox: Sandbox): Promise<void> {
	await mkdir(OUTPUT, { recursive: true });
	const items = await runExample(engine, sandbox, 'download-files', 'Write File to Disk');
	const originals = Object.values(samples);
	for (const [index, { json, binary }] of items.entries()) {
		const path = String(json.fileName);
		const saved = await readFile(path);
		say(`  ${relative('.', path)}: ${binary?.data?.mimeType}, ${saved.length} bytes`);
		assert(originals[index]?.content.equals(saved), `${path} differs from the original file`);
	}
	assert.equal(items.length, originals.length);
	say(`  All ${items.length} files are identical to the originals.`);
}

async function runExample(
	engine: Engine,
	{ url }: Sandbox,
	name: ExampleName,
	lastNode: string,
	again = '',
) {
	const workflow = await readExample(name, { sandbox: url, files: OUTPUT });
	say(`\nExecuting "${workflow.name}"${again}`);
	const run = await engine.run(workflow);
	const { error } = run.data.resultData;
	assert(!error, `the workflow failed: ${error?.message}. ${error?.description ?? ''}`);
	return outputOf(run, lastNode);
}

const say = (line: string) => process.stdout.write(`${line}\n`);

main().catch((error: Error) => {
	process.stderr.write(`This did not work: ${error.message}\n`);
	process.exitCode = 1;
});
