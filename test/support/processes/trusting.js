const { createInterface } = require('node:readline');

const { Engine } = require('../../../build/dev/engine/engine.js');
const { outputOf } = require('../../../build/dev/engine/outputOf.js');

/** Runs a workflow for each line of the input, with its credential, and prints what our node put out. */
async function main() {
	const credential = {};
	const engine = await Engine.start({ credential });
	for await (const line of createInterface(process.stdin)) {
		const next = JSON.parse(line);
		Object.assign(credential, next.credential);
		console.log(JSON.stringify(outputOf(await engine.run(next.workflow), 'Workchat')));
	}
	await engine.stop();
}

void main();
