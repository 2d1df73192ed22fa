import { join } from 'node:path';

import execa from 'execa';

import { samples } from '../../dev/sandbox/samples';
import { startSandbox, type Sandbox } from '../../dev/sandbox/server';
import { DOWNLOAD, INSTANCE, recipients, SEND, workflowOf } from '../support/setup';

interface Measured {
	cpuMicroseconds: number;
	items: number;
	bytes: number[];
	peakMemory: number;
}

const MB = 1e6;

/**
 * From Node 22 on garbage is collected later, so that the peak tells little of what is held: 80 to
 * 110 MB for any size of file, also where n8n stores the stream without this node.
 */
const FLAGS = Number(process.versions.node.split('.')[0]) > 20 ? ['--max-semi-space-size=1'] : [];

const SCRIPT = join(__dirname, '..', 'support', 'processes', 'engine.js');

/** The sandboxes' answers to downloads: some bytes, and a large file. */
const SIZES = [1000, 120 * MB];
const COUNTS = [50, 60, 600];
const sandboxes: Sandbox[] = [];
beforeAll(async () => {
	for (const content of SIZES) {
		const sandbox = await startSandbox();
		sandbox.answerDownloads({ as: 'link', content });
		sandboxes.push(sandbox);
	}
});
afterAll(async () => await Promise.all(sandboxes.map(async (sandbox) => await sandbox.stop())));

/** Two downloads and three campaigns, one after the other in a process, as peak memory is that of a process. */
async function measure(): Promise<Measured[]> {
	const credentialFor = ({ url, key }: Sandbox) => {
		return { baseUrl: url, apiKey: key, defaultInstanceGuid: INSTANCE };
	};
	const downloads = sandboxes.map((sandbox) => ({
		workflow: workflowOf([{ ...sandbox.fieldsOf(samples.video) }], DOWNLOAD),
		credential: credentialFor(sandbox),
	}));
	const campaigns = COUNTS.map((count) => ({
		workflow: workflowOf(recipients(count), { ...SEND, options: { maxConcurrency: 10 } }),
		credential: credentialFor(sandboxes[0]!),
	}));
	const args = [...FLAGS, SCRIPT, JSON.stringify([...downloads, ...campaigns])];
	const { stdout } = await execa(process.execPath, args, { timeout: 110_000 });
	return JSON.parse(stdout) as Measured[];
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
