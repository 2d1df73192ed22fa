import { join } from 'node:path';

import execa from 'execa';

import { samples } from '../../dev/sandbox/samples';
import { DOWNLOAD, INSTANCE, KEY, recipients, SEND, useBench, workflowOf } from '../support/setup';

interface Measured {
	cpuMicroseconds: number;
	jsons: object[];
	peakMemory: number;
}

const MB = 1e6;

/**
 * From Node 22 on garbage is collected later, so that the peak tells little of what is held: 80 to
 * 110 MB for any size of file, also where n8n stores the stream without this node.
 */
const FLAGS = Number(process.versions.node.split('.')[0]) > 20 ? ['--max-semi-space-size=1'] : [];

const SCRIPT = join(__dirname, '..', 'support', 'processes', 'engine.js');

const bench = useBench();

/** Some messages, a download and two campaigns, one after the other in a process: peak memory is its own. */
async function measure() {
	const { sandbox } = bench;
	sandbox.answerDownloads({ as: 'link', content: 120 * MB });
	const credential = { baseUrl: sandbox.url, apiKey: KEY, defaultInstanceGuid: INSTANCE };
	const send = (count: number) =>
		workflowOf(recipients(count), { ...SEND, options: { maxConcurrency: 10 } });
	const download = workflowOf([{ ...sandbox.fieldsOf(samples.video) }], DOWNLOAD);
	const workflows = [send(50), download, send(60), send(600)];
	const args = [...FLAGS, SCRIPT, JSON.stringify({ credential, workflows })];
	const { stdout } = await execa(process.execPath, args, { timeout: 280_000 });
	return JSON.parse(stdout) as [Measured, Measured, Measured, Measured];
}

test('a large file is never held in memory, and many messages cost as much each as few', async () => {
	// A machine that is busier with the many makes each of them cost more.
	for (let growth = Infinity, tries = 1; growth >= 13; tries++) {
		const [before, large, few, many] = await measure();
		expect(large.jsons).toMatchObject([{ file: { bytes: 120 * MB } }]);
		expect(large.peakMemory - before.peakMemory).toBeLessThan(80 * MB);
		expect([few.jsons.length, many.jsons.length]).toEqual([60, 600]);
		// What Node has not collected yet takes more than what is held.
		expect(many.peakMemory - few.peakMemory).toBeLessThan(540 * 40_000 + 100 * MB);
		growth = many.cpuMicroseconds / few.cpuMicroseconds;
		if (tries === 3) expect(growth).toBeLessThan(13);
	}
});
