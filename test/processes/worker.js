const { Engine } = require('../../build/dev/engine/engine.js');
const { DeduplicationStandIn } = require('../../build/dev/engine/deduplicationStandIn.js');
const { outputOf } = require('../../build/dev/engine/outputOf.js');
const { parse, stringify } = require('flatted');

/**
 * A worker of n8n's queue mode, as far as it matters here: a process of its own with the engine,
 * whose memory for nodes is in rows that the parent process keeps.
 */
let engine;
let asked = 0;
const answers = new Map();

const ask =
	(method) =>
	async (...parameters) =>
		await new Promise((resolve, reject) => {
			answers.set(++asked, { resolve, reject });
			process.send({ rows: asked, method, parameters });
		});
const rows = { find: ask('find'), insert: ask('insert'), update: ask('update') };

const commands = {
	async start(options) {
		engine = await Engine.start({ ...options, deduplicator: new DeduplicationStandIn(rows) });
	},
	run: async (workflow) => resultOf(await engine.run(workflow)),
	retry: async (workflow, saved) => resultOf(await engine.retry(workflow, parse(saved))),
	stop: async () => await engine.stop(),
};

function resultOf(run) {
	const { error } = run.data.resultData;
	return {
		jsons: outputOf(run, 'Workchat').map(({ json }) => json),
		error: error && { message: error.message, description: error.description },
		saved: stringify(run),
	};
}

process.on('message', async ({ id, command, parameters, answer, error, value }) => {
	if (answer) {
		const { resolve, reject } = answers.get(answer);
		answers.delete(answer);
		return error ? reject(new Error(error)) : resolve(value);
	}
	try {
		process.send({ id, value: await commands[command](...parameters) });
	} catch ({ message }) {
		process.send({ id, error: message });
	}
});
