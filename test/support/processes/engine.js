const { Engine } = require('../../../build/dev/engine/engine.js');
const { outputOf } = require('../../../build/dev/engine/workflows.js');

/**
 * Runs one workflow after the other, and prints for each its CPU time, how much it put out, and the
 * peak memory of this process by then.
 */
async function main({ credential, workflows }) {
	const engine = await Engine.start({ credential });
	const measured = [];
	for (const workflow of workflows) {
		const before = process.cpuUsage();
		const run = await engine.run(workflow);
		if (run.data.resultData.error) throw run.data.resultData.error;
		const used = process.cpuUsage(before);
		const items = outputOf(run, 'Workchat');
		const files = items.flatMap(({ binary }) => binary?.data ?? []);
		measured.push({
			cpuMicroseconds: used.user + used.system,
			items: items.length,
			bytes: await Promise.all(files.map((file) => engine.storedBytesOf(file))),
			peakMemory: process.resourceUsage().maxRSS * 1024,
		});
	}
	await engine.stop();
	console.log(JSON.stringify(measured));
}

void main(JSON.parse(process.argv[2]));
