import { setTimeout as wait } from 'node:timers/promises';

import { outputOf } from '../../dev/engine/outputOf';
import { NODE, nodeOf, recipients, SEND, TRIGGER, workflowOf } from '../../dev/engine/workflows';
import type { Execution } from '../../dev/n8n/n8nClient';
import { endsOf } from '../support/messages';
import { arrivals, counted, doubles } from './campaign';
import { eventually } from './editor';
import { useQueueMode, type Worker } from './queueMode';

/** A worker stands still in the midst of a campaign, and then writes back an old row of keys. */

const MINUTES = 60_000;
const COUNT = 200;
/** docs/delivery.md tells what ten gave. */
const ROUNDS = Number(process.env.ROUNDS ?? 1);

const here = useQueueMode({ N8N_RUNNERS_ENABLED: 'true' });

/** A published workflow that a call of its webhook starts, with what the call asks for. */
async function publish(path: string, workflow: ReturnType<typeof workflowOf>): Promise<string> {
	workflow.nodes[0] = nodeOf(TRIGGER, 'n8n-nodes-base.webhook', {
		typeVersion: 2,
		webhookId: path,
		parameters: { httpMethod: 'GET', path },
	});
	const added = await here.n8n.addWorkflow({ ...workflow, name: path });
	await here.n8n.publish(added);
	return added.id;
}

async function start(workflowId: string, address: string): Promise<string> {
	const before = await here.n8n.executions(workflowId);
	await fetch(`${here.n8n.url}/webhook/${address}`);
	let id = '';
	await eventually(async () => {
		const now = await here.n8n.executions(workflowId);
		expect(now.length).toBe(before.length + 1);
		id = now[0]?.id ?? '';
	});
	return id;
}

async function workerOf(workers: Worker[], id: string): Promise<Worker> {
	const find = () => workers.find(({ begun }) => begun.includes(id));
	await eventually(async () => expect(find()).toBeDefined());
	return find()!;
}

const campaign = () => {
	const key = `{{ $('${TRIGGER}').first().json.query.key }}`;
	const toId = `=${key}-{{ $json.toId }}`;
	const options = { sendOnceKey: `=${key}`, maxTries: 1, maxConcurrency: 3 };
	const settings = { onError: 'continueRegularOutput' } as const;
	return workflowOf(recipients(COUNT), { ...SEND, toId, options }, settings);
};
/** Parsing holds the event loop of the worker that does it. */
const heavy = () => {
	const workflow = workflowOf([{}], SEND);
	const [items] = workflow.nodes.filter(({ name }) => name === 'Items');
	const size = `Number($('${TRIGGER}').first().json.query.size)`;
	const text = `'[' + '[1],'.repeat(${size}) + '1]'`;
	items!.parameters.jsonOutput = `={{ { items: [{ size: JSON.parse(${text}).length }] } }}`;
	workflow.nodes = workflow.nodes.filter(({ name }) => name !== NODE);
	workflow.connections = { [TRIGGER]: workflow.connections[TRIGGER]! };
	return workflow;
};

const told = (execution: Execution) => {
	const ends = endsOf(outputOf(execution, NODE).map(({ json }) => json));
	return JSON.stringify(Object.fromEntries(counted(ends)));
};

let heavyId = '';
/** Each tells for how many milliseconds. */
const STALLS: Record<string, (worker: Worker) => Promise<number>> = {
	paused: async ({ process }) => {
		globalThis.process.kill(process.pid, 'SIGSTOP');
		await wait(1500);
		globalThis.process.kill(process.pid, 'SIGCONT');
		return 1500;
	},
	busy: async () => {
		const size = Math.round(1e6 + Math.random() * 5e6);
		const execution = await here.n8n.ended(await start(heavyId, `heavy?size=${size}`));
		const [run] = execution.data.resultData.runData.Items ?? [];
		return run?.executionTime ?? NaN;
	},
};

const latency = () =>
	here.sandbox.misbehave({ kind: 'delay', milliseconds: 40 }, { times: Infinity });

test.each(Object.entries(STALLS))(
	'%s: two campaigns, and both once more: nobody is sent to twice',
	async (name, stall) => {
		const id = await publish(`campaign-${name}`, campaign());
		if (name === 'busy') heavyId = await publish('heavy', heavy());
		for (let round = 1; round <= ROUNDS; round++) {
			here.sandbox.reset();
			latency();
			const workers = await here.twoWorkers();
			// In every second round it is the same one, of which nothing is promised: it is told only.
			const isSame = round % 2 === 0;
			const keys = [`a${round}`, isSame ? `a${round}` : `b${round}`];
			const begin = async (key = '') => await start(id, `campaign-${name}?key=${key}`);
			const ids = [await begin(keys[0]), await begin(keys[1])];
			const places = await Promise.all(ids.map(async (each) => await workerOf(workers, each)));
			await wait(500 + Math.random() * 1500);
			const stalled = await stall(places[round % 3 ? 0 : 1]!);
			const first = await Promise.all(ids.map(async (each) => await here.n8n.ended(each)));
			const again: Execution[] = [];
			for (const key of keys) again.push(await here.n8n.ended(await begin(key)));
			process.stdout.write(
				`${name} ${stalled} (${places[0] === places[1] ? 'one worker' : 'two workers'}, ` +
					`${isSame ? 'the same campaign' : 'two campaigns'}): ` +
					`${first.map(told).join(' ')}, then ${again.map(told).join(' ')}; ` +
					`${doubles(here).length} twice\n`,
			);
			if (!isSame) expect(doubles(here)).toEqual([]);
			expect(arrivals(here).size).toBe(new Set(keys).size * COUNT);
		}
	},
	5 * MINUTES * ROUNDS,
);
