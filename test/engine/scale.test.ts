import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { FileFields } from '../../dev/sandbox/server';
import type { WorkflowJson } from '../../dev/engine/engine';
import { DOWNLOAD, INSTANCE, SEND, workflowOf } from '../support/setup';

interface Started {
	baseUrl: string;
	apiKey: string;
	file: FileFields;
}

interface Measured {
	cpuMicroseconds: number;
	items: number;
	bytes: number[];
	peakMemory: number;
}

const MB = 1e6;
const run = promisify(execFile);

/**
 * From Node 22 on garbage is collected later, so that the peak tells little of what is held: 80 to
 * 110 MB for any size of file, also where n8n stores the stream without this node.
 */
const FLAGS = Number(process.versions.node.split('.')[0]) > 20 ? ['--max-semi-space-size=1'] : [];

function start(script: string, input: unknown) {
	const path = join(__dirname, '..', 'support', 'processes', script);
	return run(process.execPath, [...FLAGS, path, JSON.stringify(input)], { timeout: 110_000 });
}

/** The sandboxes' answers to downloads: some bytes, a large file, and none, for those that send. */
const ANSWERS = [1000, 120 * MB, 0, 0, 0].map((content) => ({ as: 'link', content }));
const COUNTS = [50, 60, 600];

function download({ file }: Started): WorkflowJson {
	return workflowOf([{ ...file }], { ...DOWNLOAD, options: { maxTries: 1 } });
}

function campaign(count: number): WorkflowJson {
	const workflow = workflowOf([], { ...SEND, options: { maxConcurrency: 10 } });
	const items = workflow.nodes.find(({ name }) => name === 'Items');
	// An expression, as so many items are too long for a command line.
	const list = `Array.from({ length: ${count} }, (_, i) => ({ toId: 'customer-' + i }))`;
	if (items) items.parameters.jsonOutput = `={{ { items: ${list} } }}`;
	return workflow;
}

/** Two downloads and three campaigns, one after the other in a process, as peak memory is that of a process. */
async function measure(): Promise<Measured[]> {
	const sandboxes = start('sandbox.js', ANSWERS);
	const stopped = sandboxes.catch(() => {});
	try {
		const printed = await Promise.race([once(sandboxes.child.stdout!, 'data'), sandboxes]);
		const runs = (JSON.parse(String(printed)) as Started[]).map((started, index) => ({
			workflow: index < 2 ? download(started) : campaign(COUNTS[index - 2]!),
			credential: { ...started, defaultInstanceGuid: INSTANCE },
		}));
		const { stdout } = await start('engine.js', runs);
		return JSON.parse(stdout) as Measured[];
	} finally {
		sandboxes.child.kill();
		await stopped;
	}
}

test('a large file is never held in memory, and many messages cost as much each as few', async () => {
	let measured: Measured[] = [];
	let growth = Infinity;
	// A machine that is busier with the many makes each of them cost more.
	for (let tries = 0; tries < 3 && growth >= 13; tries++) {
		measured = await measure();
		const [few, many] = measured.slice(-2);
		growth = many!.cpuMicroseconds / few!.cpuMicroseconds;
	}
	expect(growth).toBeLessThan(13);
	const [small, large, , few, many] = measured as [Measured, ...Measured[]];
	expect(large?.bytes).toEqual([120 * MB]);
	expect(large!.peakMemory - small.peakMemory).toBeLessThan(80 * MB);
	expect([few?.items, many?.items]).toEqual([60, 600]);
	// What Node has not collected yet takes more than what is held.
	expect(many!.peakMemory - few!.peakMemory).toBeLessThan(540 * 40_000 + 100 * MB);
});
