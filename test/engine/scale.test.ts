import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { DownloadResponse, FileFields } from '../../dev/sandbox/server';
import type { WorkflowJson } from '../../dev/engine/engine';
import { DOWNLOAD, INSTANCE, SEND, workflowOf } from '../support/setup';
import { sampleOf, thoroughly } from '../support/thorough';

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

/** The engine has a process of its own, as peak memory is that of a process. */
function start(script: string, input: unknown) {
	const path = join(__dirname, '..', 'support', 'processes', script);
	return run(process.execPath, [...FLAGS, path, JSON.stringify(input)], { timeout: 110_000 });
}

/** Runs a workflow for each of the given answers to downloads, against a sandbox of its own. */
async function measure(
	answers: DownloadResponse[],
	workflowFor: (started: Started, index: number) => WorkflowJson,
): Promise<Measured[]> {
	const sandboxes = start('sandbox.js', answers);
	const stopped = sandboxes.catch(() => {});
	try {
		const printed = await Promise.race([once(sandboxes.child.stdout!, 'data'), sandboxes]);
		const runs = (JSON.parse(String(printed)) as Started[]).map((started, index) => ({
			workflow: workflowFor(started, index),
			credential: { ...started, defaultInstanceGuid: INSTANCE },
		}));
		const { stdout } = await start('engine.js', runs);
		return JSON.parse(stdout) as Measured[];
	} finally {
		sandboxes.child.kill();
		await stopped;
	}
}

const FILES = [
	['200 MB behind a link', 'link', 200 * MB, 1, 80 * MB],
	['300 MB as the body', 'body', 300 * MB, 1, 80 * MB],
	['1 GB behind a link', 'link', 1000 * MB, 1, 80 * MB],
	['50 MB behind each of 20 links at once', 'link', 50 * MB, 20, 150 * MB],
] as const;

test.each(sampleOf(FILES, 4))(
	'%s: stored, and never held in memory',
	async (_, as, content, files, mostGrowth) => {
		const answers = [
			{ as, content: 1000 },
			{ as, content },
		];
		const [small, large] = await measure(answers, ({ file }) => {
			const options = { maxConcurrency: files, maxTries: 1 };
			const items = Array.from({ length: files }, () => ({ ...file }));
			return workflowOf(items, { ...DOWNLOAD, options });
		});
		expect(large?.bytes).toEqual(Array.from({ length: files }, () => content));
		expect((large?.peakMemory ?? NaN) - (small?.peakMemory ?? NaN)).toBeLessThan(mostGrowth);
	},
);

test('ten times as many messages take no more time and memory each', async () => {
	const counts = thoroughly([100, 1000, 10_000], [50, 100, 1000]);
	const [, less = NaN, more = NaN] = counts;
	const answers = counts.map((): DownloadResponse => ({ as: 'link' }));
	const workflowFor = (_: unknown, index: number) => {
		const workflow = workflowOf([], { ...SEND, options: { maxConcurrency: 10 } });
		const items = workflow.nodes.find(({ name }) => name === 'Items');
		// An expression, as so many items are too long for a command line.
		const list = `Array.from({ length: ${counts[index]} }, (_, i) => ({ toId: 'customer-' + i }))`;
		if (items) items.parameters.jsonOutput = `={{ { items: ${list} } }}`;
		return workflow;
	};
	let few: Measured | undefined;
	let many: Measured | undefined;
	let growth = Infinity;
	// A machine that is busier with the many makes each of them cost more.
	for (let tries = 0; tries < 3 && growth >= 13; tries++) {
		[, few, many] = await measure(answers, workflowFor);
		growth = (many?.cpuMicroseconds ?? NaN) / (few?.cpuMicroseconds ?? NaN);
	}
	expect([few?.items, many?.items]).toEqual([less, more]);
	expect(growth).toBeLessThan(13);
	// Of few, what Node has not collected yet takes more than what is held.
	const garbage = thoroughly(0, 100 * MB);
	expect((many?.peakMemory ?? NaN) - (few?.peakMemory ?? NaN)).toBeLessThan(
		(more - less) * 40_000 + garbage,
	);
});
