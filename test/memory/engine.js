const { Engine, outputOf } = require('../../build/engine/engine.js');

/**
 * Runs a workflow with one credential after the other, and prints for each the sizes of the files
 * that n8n stored, and the peak memory of this process by then.
 */
async function main({ workflow, credentials }) {
	const credential = {};
	const engine = await Engine.start({ credential, binaryMode: 'filesystem' });
	const measured = [];
	for (const next of credentials) {
		Object.assign(credential, next);
		const run = await engine.run(workflow);
		if (run.data.resultData.error) throw run.data.resultData.error;
		measured.push({
			bytes: outputOf(run, 'Workchat').map(({ binary }) => binary.data.bytes),
			peakMemory: process.resourceUsage().maxRSS * 1024,
		});
	}
	await engine.stop();
	console.log(JSON.stringify(measured));
}

void main(JSON.parse(process.argv[2]));
