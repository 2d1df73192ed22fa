import { userFolder } from '../engine/environment';

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { DownloadAnswer, FileFields } from '../sandbox/server';
import { DOWNLOAD, INSTANCE, workflowOf } from './setup';

interface Started {
	baseUrl: string;
	apiKey: string;
	file: FileFields;
}

interface Measured {
	bytes: number[];
	peakMemory: number;
}

const MB = 1e6;
const run = promisify(execFile);
/** For what the processes write, so that nothing stays where one of them dies. */
let folder: string;
beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'workchat-memory-'))));
afterAll(async () => {
	for (const path of [folder, userFolder]) await rm(path, { recursive: true, force: true });
});

/** The engine has a process of its own, as peak memory is that of a process. */
function start(script: string, input: unknown) {
	const path = join(__dirname, 'memory', script);
	const env = { ...process.env, TMPDIR: folder, TEMP: folder };
	return run(process.execPath, [path, JSON.stringify(input)], { env, timeout: 25_000 });
}

/** Downloads a small file, and then as many large ones at once. */
async function download(as: DownloadAnswer['as'], content: number, files: number) {
	const sandboxes = start('sandbox.js', [
		{ as, content: 1000 },
		{ as, content },
	]);
	const stopped = sandboxes.catch(() => {});
	try {
		const printed = await Promise.race([once(sandboxes.child.stdout!, 'data'), sandboxes]);
		const started = JSON.parse(String(printed)) as Started[];
		const items = Array.from({ length: files }, () => ({ ...started[0]?.file }));
		const options = { maxConcurrency: files, maxTries: 1 };
		const { stdout } = await start('engine.js', {
			workflow: workflowOf(items, { ...DOWNLOAD, options }),
			credentials: started.map((more) => ({ ...more, defaultInstanceGuid: INSTANCE })),
		});
		return JSON.parse(stdout) as [Measured, Measured];
	} finally {
		sandboxes.child.kill();
		await stopped;
	}
}

test.each([
	['300 MB as the body', 'body', 300 * MB, 1, 80 * MB],
	['300 MB behind a link', 'link', 300 * MB, 1, 80 * MB],
	['1 GB behind a link', 'link', 1000 * MB, 1, 80 * MB],
	['50 MB behind each of 20 links at once', 'link', 50 * MB, 20, 150 * MB],
] as const)('%s: stored, and never held in memory', async (_, as, content, files, mostGrowth) => {
	const [small, large] = await download(as, content, files);
	expect(large.bytes).toEqual(Array.from({ length: files }, () => content));
	expect(large.peakMemory - small.peakMemory).toBeLessThan(mostGrowth);
});
