const { AsyncLocalStorage } = require('node:async_hooks');
const { createRequire } = require('node:module');

const { DeduplicationStandIn } = require('../../build/dev/engine/deduplicationStandIn');

/**
 * What n8n's memory of processed items, and its stand-in, answer to the calls that the node makes. Run
 * with the path of n8n's own package, without the rest of n8n, on a database in the present folder.
 */

const MOST_ENTRIES = 41_000;
const OPTIONS = { mode: 'entries', maxEntries: MOST_ENTRIES };
const many = Array.from({ length: MOST_ENTRIES + 1 }, (_, index) => `entry ${index}`);

/** Of a call that is made at once with others: ends its read when its turn to write has come. */
const turn = new AsyncLocalStorage();

/**
 * Makes calls of which all read before the first writes, and each writes before the next one does. Without
 * this, which of them reads and writes first is for the database to choose.
 */
async function atOnce(calls) {
	let reading = calls.length;
	let allHaveRead;
	let before = new Promise((resolve) => (allHaveRead = resolve));
	const ends = calls.map((call) => {
		const mine = before;
		const myTurn = async () => {
			reading -= 1;
			if (reading === 0) allHaveRead();
			await mine;
		};
		const end = turn.run(myTurn, call);
		before = end.catch(() => {});
		return end;
	});
	return await Promise.allSettled(ends);
}

/** Each on a row of its own: the calls that it makes, and what comes back of them. */
const CASES = {
	'ask and remove': async ({ ask, remove, count }) => {
		await remove('a');
		const asked = [await count(), await ask('a', 'a'), await count()];
		asked.push(await ask('b', 'b', 'a', 'c'), await count());
		await remove('a', 'b', 'another');
		return [...asked, await count(), await ask('a', 'b', 'c')];
	},
	'two at once, on a new row': async ({ ask, count }) => {
		const ends = await atOnce([() => ask('a'), () => ask('b')]);
		return [ends.map(({ status }) => status), await count(), await ask('a', 'b')];
	},
	'two at once: one is lost': async ({ ask, remove, count }) => {
		await ask('a', 'b');
		const asked = await atOnce([() => ask('c'), () => ask('d')]);
		const ends = [asked, await count(), await ask('c', 'd')];
		await atOnce([() => ask('e'), () => remove('a', 'b')]);
		return [...ends, await ask('a', 'b', 'e')];
	},
	'more than are kept': async ({ ask, count }) => {
		const { length } = (await ask(...many)).new;
		const asked = [length, await count(), await ask(many[1], many[2], many[MOST_ENTRIES])];
		// Each new one drops the oldest.
		return [...asked, await ask('new'), await count(), await ask(many[2]), await ask(many[1])];
	},
};

async function answersOf(deduplicator) {
	const answers = {};
	for (const [name, run] of Object.entries(CASES)) {
		const about = { workflow: { id: 'workflow', active: true }, node: { id: name } };
		answers[name] = await run({
			ask: (...items) => deduplicator.checkProcessedAndRecord(items, 'node', about, OPTIONS),
			remove: (...items) => deduplicator.removeProcessed(items, 'node', about, OPTIONS),
			count: () => deduplicator.getProcessedDataCount('node', about, OPTIONS),
		});
	}
	return answers;
}

async function main(folder) {
	const load = createRequire(`${folder}/package.json`);
	load('reflect-metadata');
	const { Container } = load('@n8n/di');
	const { DbConnection, ProcessedDataRepository, WorkflowRepository } = load('@n8n/db');
	const connection = Container.get(DbConnection);
	await connection.init();
	await connection.migrate();
	const workflow = { id: 'workflow', name: 'Workflow', active: false, nodes: [], connections: {} };
	await Container.get(WorkflowRepository).insert({ ...workflow, versionId: 'first' });
	const rows = Container.get(ProcessedDataRepository);
	const findOne = rows.findOne.bind(rows);
	rows.findOne = async (options) => {
		const row = await findOne(options);
		await turn.getStore()?.();
		return row;
	};
	const own = await answersOf(load('./dist/deduplication').getDataDeduplicationService());
	const after = async (operation) => operation === 'find' && (await turn.getStore()?.());
	const standIn = await answersOf(new DeduplicationStandIn({ latency: 0, after }));
	process.stdout.write(`\n${JSON.stringify({ own, standIn })}`, () => process.exit());
}

void main(process.argv[2]);
