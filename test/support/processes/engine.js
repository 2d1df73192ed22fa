const { Engine } = require('../../../build/dev/engine/engine.js');
const { outputOf } = require('../../../build/dev/engine/workflows.js');

/**
 * Runs one workflow after the other, and prints for each its CPU time, what it put out, and the peak
 * memory of this process by then.
 */
async function main({ credential, workflows }) {
	const engine = await Engine.start({ credential });
	const measured = [];
	for (const workflow of workflows) {
		const before = process.cpuUsage();
		const run = await engine.run(workflow);
		const { user, system } = process.cpuUsage(before);
		const jsons = outputOf(run, 'Workchat').map(({ json }) => json);
		const peakMemory = process.resourceUsage().maxRSS * 1024;
		measured.push({ jsons, cpuMicroseconds: user + system, peakMemory });
	}
	await engine.stop();
	console.log(JSON.stringify(measured));
}

void main(JSON.parse(process.argv[2]));
