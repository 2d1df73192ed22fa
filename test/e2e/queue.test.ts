import { setTimeout as wait } from 'node:timers/promises';

import type { IWorkflowSettings } from 'n8n-workflow';

import { outputOf } from '../../dev/engine/outputOf';
import { samples } from '../../dev/sandbox/samples';
import { executionOf, FILE, ordersOf, orderWorkflow, placed, type Order } from './orders';
import { useQueueMode, type Worker } from './queueMode';

type Body = Record<string, unknown>;

const MINUTES = 60_000;
/** How many executions a worker runs at a time. */
const CONCURRENCY = 5;

const here = useQueueMode({
	// With n8n's defaults a worker's death shows after 60 to 90 seconds.
	QUEUE_WORKER_LOCK_DURATION: '10000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '2000',
	QUEUE_WORKER_STALLED_INTERVAL: '3000',
});

test(
	'300 executions on two workers: each message arrives once, each file is whole',
	async () => {
		const [first, second] = await here.twoWorkers();
		const id = await publish('many');
		const orders = ordersOf(300);
		const started = performance.now();
		const answers = await place('many', orders);
		say(`300 executions in ${secondsSince(started)} s`);

		expect(answers.map(({ file }) => file)).toMatchObject(
			orders.map(({ sample }) => ({ fileName: sample.name, bytes: sample.content.length })),
		);
		expect(served()).toEqual(sorted(orders.map(({ toId }) => toId)));
		const executions = await here.n8n.executions(id);
		expect(new Set(executions.map(({ status }) => status))).toEqual(new Set(['success']));
		const ids = sorted(executions.map((execution) => execution.id));
		expect(sorted(here.sandbox.messages.map(executionOf))).toEqual(ids);

		say(`${first.begun.length} by one worker, ${second.begun.length} by the other`);
		expect(sorted([...first.begun, ...second.begun])).toEqual(ids);
		for (const { begun } of [first, second]) {
			expect(begun.length).toBeGreaterThan(0);
			for (const executionId of begun.slice(0, 6)) await expectSavedFile(executionId);
		}
	},
	3 * MINUTES,
);

test(
	'a worker that is told to stop finishes what it has begun, the other does the rest',
	async () => {
		const [stopped, other] = await here.twoWorkers();
		const id = await publish('stop');
		here.sandbox.misbehave(
			{ kind: 'delay', milliseconds: 1500 },
			{ times: Infinity, when: (body) => 'toId' in body },
		);
		const orders = ordersOf(60);
		const placing = place('stop', orders);
		const { sending } = await inTheMidst(stopped, ({ sending }) => sending.length > 2);
		say(`SIGTERM while ${sending.length} of its messages are on their way`);
		const before = other.begun.length;
		await stopped.process.kill('SIGTERM');

		expect(stopped.underWay).toEqual([]);
		expect(stopped.finished).toEqual(expect.arrayContaining(sending));
		const answers = await placing;
		expect(answers.map(({ status }) => status)).toEqual(orders.map(() => 200));
		expect(served()).toEqual(sorted(orders.map(({ toId }) => toId)));
		const executions = await here.n8n.executions(id);
		expect(executions.map(({ status }) => status)).toEqual(orders.map(() => 'success'));
		expect(other.begun.length).toBeGreaterThan(before);
	},
	3 * MINUTES,
);

test(
	'of a worker that is killed, n8n gives up the executions: nothing goes out twice',
	async () => {
		const [killed, other] = await here.twoWorkers();
		const ids = [await publish('plain'), await publish('saved', { saveExecutionProgress: true })];
		// Of different lengths, so that executions are at different places when the worker dies.
		const even = { when: ({ toId }: Body) => /[02468]$/.test(String(toId)) };
		here.sandbox.misbehave({ kind: 'delay', milliseconds: 600 }, { times: Infinity, ...even });
		here.sandbox.misbehave({ kind: 'delay', milliseconds: 1000 }, { times: Infinity });
		const orders = ordersOf(60);
		const placing = Promise.all([
			place('plain', orders.slice(0, 30), 10),
			place('saved', orders.slice(30), 10),
		]);
		const { sending, sent } = await inTheMidst(
			killed,
			({ sending, sent }) => sending.length > 0 && sent.length > 0,
		);
		await killed.process.kill('SIGKILL');
		const died = performance.now();

		const answers = (await placing).flat();
		const found = await Promise.all(ids.map(async (id) => await here.n8n.executions(id)));
		const failed = found.flat().filter(({ status }) => status !== 'success');
		const timesOf = (executionId: string) =>
			here.sandbox.messages.map(executionOf).filter((id) => id === executionId).length;
		say(
			`SIGKILL with ${killed.underWay.length} executions under way: ${sending.length} waited for ` +
				`the answer to their message, ${sent.length} had it. All calls were answered after ` +
				`${secondsSince(died)} s. Failed: ${failed.length}; of their messages, ` +
				[0, 1, 2]
					.map(
						(times) =>
							`${failed.filter(({ id }) => timesOf(id) === times).length} arrived ${times} times`,
					)
					.join(', '),
		);

		// Every execution ended, once; the other worker took over none.
		expect(found.flat()).toHaveLength(orders.length);
		expect(failed.length).toBeLessThanOrEqual(CONCURRENCY);
		expect(failed.map(({ status }) => status)).toEqual(failed.map(() => 'error'));
		expect(failed.filter(({ id }) => other.begun.includes(id))).toEqual([]);
		expect(answers.filter(({ status }) => status === 500)).toHaveLength(failed.length);

		// No message went out twice, and none is missing where the execution says it went out.
		for (const { id, status } of found.flat()) {
			expect(timesOf(id)).toBeGreaterThanOrEqual(status === 'success' ? 1 : 0);
			expect(timesOf(id)).toBeLessThanOrEqual(1);
		}
		expect(failed.map(({ id }) => id)).toEqual(expect.arrayContaining(sending));

		// "Error" does not mean "not sent". n8n has kept nothing of these executions, with "Save
		// execution progress" neither, so its retry does nothing.
		for (const { id } of failed) {
			const before = here.sandbox.requests.length;
			expect((await here.n8n.execution(id)).data.resultData.runData).toEqual({});
			expect((await here.n8n.retry(id)).status).toBe('error');
			expect(here.sandbox.requests).toHaveLength(before);
		}
	},
	3 * MINUTES,
);

async function publish(path: string, settings?: IWorkflowSettings): Promise<string> {
	const workflow = await here.n8n.addWorkflow(orderWorkflow(path, settings));
	await here.n8n.publish(workflow);
	return workflow.id;
}

async function place(path: string, orders: Order[], atATime = 20) {
	const url = `${here.url}/webhook/${path}`;
	return await placed(orders, { url, sandbox: here.sandbox, atATime });
}

async function expectSavedFile(executionId: string): Promise<void> {
	const [item] = outputOf(await here.n8n.execution(executionId), FILE);
	const file = item?.binary?.data;
	if (!file?.id) throw new Error(`There is no file in execution ${executionId}`);
	expect(file.id).toMatch(/^database:/);
	const sample = Object.values(samples).find(({ name }) => name === file.fileName);
	expect((await here.n8n.binaryData(file.id, 'download')).body).toEqual(sample?.content);
}

/** The executions that a worker has under way: those whose message is not answered yet, or is. */
interface Progress {
	sending: string[];
	sent: string[];
}

function progressOf({ underWay }: Worker): Progress {
	const sends = here.sandbox.requests.filter(({ isAccepted, body }) => isAccepted && body?.toId);
	const idsOf = (requests: typeof sends) =>
		requests.map(({ body }) => executionOf(body ?? {})).filter((id) => underWay.includes(id));
	return {
		sending: idsOf(sends.filter(({ endedAt }) => endedAt === undefined)),
		sent: idsOf(sends.filter(({ endedAt }) => endedAt !== undefined)),
	};
}

/** Waits until a third of the messages is sent and the worker's progress is as wished. */
async function inTheMidst(worker: Worker, isSo: (progress: Progress) => boolean) {
	const deadline = Date.now() + MINUTES;
	while (Date.now() < deadline) {
		const progress = progressOf(worker);
		if (here.sandbox.messages.length >= 20 && isSo(progress)) return progress;
		await wait(20);
	}
	throw new Error('The worker never was in the midst of its work');
}

/** Whom the messages that arrived are for. */
const served = () => sorted(here.sandbox.messages.map(({ toId }) => String(toId)));

const sorted = (values: string[]) => [...values].sort();

const secondsSince = (moment: number) => ((performance.now() - moment) / 1000).toFixed(1);

function say(line: string): void {
	process.stdout.write(`${line}\n`);
}
