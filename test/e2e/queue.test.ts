import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import execa from 'execa';

import { NODE, recipients, SEND, TRIGGER, workflowOf } from '../../dev/engine/workflows';
import { startN8n } from '../../dev/n8n/n8n';
import type { Running } from '../../dev/n8n/processes';
import { atEnd } from './support/atEnd';
import { eventually } from './support/editor';
import { doubles, endsOf, received } from './support/messages';
import { startPostgres, startRedis } from './support/servers';
import { useN8n } from './support/setup';
import { publishTriggered, type Workflow } from './support/workflow';

/** Campaigns in n8n's queue mode: a worker stands still in the midst of one, or dies. */

const COUNT = 200;
/** What is claimed ahead of the sending and on its way, or was sent and is not noted yet. */
const MOST_IN_DOUBT = 21;

/** For n8n's main process, which leaves the work to two workers, and for these. */
let env: Record<string, string>;
const here = useN8n(async () => {
	env = {
		EXECUTIONS_MODE: 'queue',
		QUEUE_WORKER_LOCK_DURATION: '60000', // longer than a worker stands still here
		QUEUE_WORKER_LOCK_RENEW_TIME: '2000',
		QUEUE_WORKER_STALLED_INTERVAL: '3000', // with n8n's default a death shows later
		...(await startPostgres()),
		...(await startRedis()),
	};
	return env;
});

/** Milliseconds; nothing here takes as long. */
const LONG = 600_000;
let workers: Running[];
let campaign: Workflow;
beforeAll(async () => {
	const started = ['worker-1', 'worker-2'].map(async (name) => {
		const folder = join(here.folder, name);
		const { process: worker } = await startN8n('worker', { ...here, folder, env });
		atEnd(async () => await worker.stop());
		return worker;
	});
	workers = await Promise.all(started);

	const key = `{{ $('${TRIGGER}').first().json.query.key }}`;
	const options = { sendOnceKey: `=${key}`, maxTries: 1, maxConcurrency: 3, timeout: LONG };
	const parameters = { ...SEND, toId: `=${key}-{{ $json.toId }}`, options };
	const settings = { onError: 'continueRegularOutput' } as const;
	campaign = await publishTriggered(here, workflowOf(recipients(COUNT), parameters, settings));
});
const DELAY = { kind: 'delay', milliseconds: 40 } as const;

/** Whether this worker took the execution from the queue, by what it logs. */
const hasBegun = (worker: Running, id: string) =>
	worker.output.includes(`Worker started execution ${id} `);

/** Starts the campaign with this key; gives its execution, and the worker that took it. */
async function start(key: string) {
	const known = new Set((await here.n8n.executions(campaign.id)).map(({ id }) => id));
	await fetch(`${campaign.url}?key=${key}`, { method: 'POST' });
	let id = '';
	const isHis = (worker: Running) => hasBegun(worker, id);
	await eventually(async () => {
		const executions = await here.n8n.executions(campaign.id);
		id = executions.find((execution) => !known.has(execution.id))?.id ?? 'none';
		expect(workers.some(isHis)).toBe(true);
	});
	return { key, id, worker: workers.find(isHis)! };
}

const toIds = (key: string) => recipients(COUNT).map(({ toId }) => `${key}-${toId}`);

/** Resolves when no worker has noted anything in n8n's database for five seconds. */
async function nothingIsNoted(): Promise<void> {
	const server = ['-h', '127.0.0.1', '-p', env.DB_POSTGRESDB_PORT!, '-U', 'n8n', 'postgres'];
	const query = ['-Atc', 'select value from processed_data'];
	let before = '';
	for (let same = 0; same < 10; await wait(500)) {
		const { stdout } = await execa('psql', [...server, ...query]);
		same = stdout === before ? same + 1 : 0;
		before = stdout;
	}
	expect(before).not.toBe('');
}

test('a worker stands still while it and another send: nobody is sent to twice, and nobody is left out', async () => {
	const isFirst = ({ toId }: Record<string, unknown>) => /-customer-[123]$/.test(String(toId));
	here.sandbox.reset();
	let answerFirst = () => {};
	const until = new Promise<void>((resolve) => (answerFirst = resolve));
	const delay = { kind: 'delay', milliseconds: LONG, until } as const;
	here.sandbox.misbehave(delay, { times: Infinity, when: isFirst });
	here.sandbox.misbehave(DELAY, { times: Infinity });
	const begun = [await start('a')];
	// Until the other worker has one, too.
	for (const key of ['b', 'c', 'd', 'e']) {
		if (begun.every(({ worker }) => worker === begun[0]!.worker)) begun.push(await start(key));
	}
	const { worker } = begun.at(-1)!;
	const isOther = (one: { worker: Running }) => one.worker !== worker;
	expect(begun.some(isOther)).toBe(true);
	await eventually(async () => expect(received(here)).toHaveLength(3 * begun.length));
	// Before the first answers, it notes all that it claims: in the midst of that, another worker's claims
	// would be lost (docs/delivery.md).
	await nothingIsNoted();
	process.kill(worker.pid, 'SIGSTOP');
	answerFirst();
	const succeeds = async ({ id }: { id: string }) =>
		expect((await here.n8n.ended(id)).status).toBe('success');
	for (const one of begun.filter(isOther)) await succeeds(one);
	process.kill(worker.pid, 'SIGCONT');
	for (const one of begun) await succeeds(one);
	for (const { key } of begun) await succeeds(await start(key));
	expect(received(here).sort()).toEqual(begun.flatMap(({ key }) => toIds(key)).sort());
});

test('a worker is killed: n8n gives up its execution, and the next one sends the rest, nothing twice', async () => {
	here.sandbox.misbehave(DELAY, { times: Infinity });
	const killed = await start('killed');
	await eventually(async () => expect(received(here).length).toBeGreaterThan(COUNT / 4));
	await killed.worker.kill('SIGKILL');
	expect(received(here).length).toBeLessThan(COUNT);

	const next = await start('killed');
	const ends = endsOf(await here.n8n.ended(next.id), NODE);
	expect(doubles(here)).toEqual([]);
	expect(new Set(ends)).toEqual(new Set(['skipped', 'sent', 'unknown']));
	const inDoubt = toIds('killed').filter((_, index) => ends[index] === 'unknown');
	const missing = toIds('killed').filter((toId) => !received(here).includes(toId));
	expect(inDoubt).toEqual(expect.arrayContaining(missing));
	expect(missing.length).toBeLessThanOrEqual(MOST_IN_DOUBT);
	expect(inDoubt.length - missing.length).toBeLessThanOrEqual(MOST_IN_DOUBT);

	expect((await here.n8n.ended(killed.id)).status).toMatch(/error|crashed/);
	expect(hasBegun(next.worker, killed.id)).toBe(false);
	expect(doubles(here)).toEqual([]);
});
