import { setTimeout as wait } from 'node:timers/promises';

import type { IRun } from 'n8n-workflow';

import { MemoryRows, type Rows } from '../dev/engine/deduplicationStandIn';
import { json, useOwnServer } from './ownServer';
import { NODE, recipients, resultOf, SEND, useMemory, workflowOf } from './setup';
import { sampleOf } from './thorough';
import { eventually } from './turns';
import { Worker } from './workers';

/** With a Send Once Key: what n8n remembers comes late, twice or not at all, or is overwritten. */

const own = useOwnServer();
const memory = useMemory(own);
/** Recipients of the messages that were sent. */
let accepted: unknown[];
beforeEach(() => {
	accepted = [];
	own.answer = ({ body }, response) => {
		accepted.push(body.toId);
		json(response, { ok: true, code: 0 });
	};
});

type Json = Record<string, unknown>;

const ITEMS = recipients(5);
const keyed = (items: Json[] = ITEMS, options: Json = {}) =>
	workflowOf(
		items,
		{ ...SEND, options: { maxTries: 1, sendOnceKey: 'spring', ...options } },
		{ onError: 'continueRegularOutput' },
	);

/** In one word for each item. */
const endsOf = (jsons: Json[]) =>
	jsons.map(({ error, skipped }) =>
		error ? (error as { outcome: string }).outcome : skipped ? 'skipped' : 'sent',
	);
const jsonsOf = (run: IRun) => resultOf(run).items.map(({ json }) => json as Json);
const send = async (...given: Parameters<typeof keyed>) =>
	endsOf(jsonsOf(await own.engine.run(keyed(...given))));
const expectNobodyTwice = () => expect(new Set(accepted).size).toBe(accepted.length);

/** While it is on, some reads and writes fail, before or after they did what they should. */
function outage(moment: 'before' | 'after', from: number, times: number) {
	const fault = { isOn: false };
	let operations = 0;
	const act = () => {
		if (!fault.isOn) return;
		const number = operations++;
		if (number >= from && number < from + times) throw new Error('Connection terminated');
	};
	const none = () => {};
	const [before, after] = moment === 'before' ? [act, none] : [none, act];
	memory.begin(() => 0, before, after);
	return fault;
}

const OUTAGES = (['before', 'after'] as const).flatMap((moment) =>
	[1, 2, 100].flatMap((times) =>
		Array.from({ length: 24 }, (_, from): [number, typeof moment, number] => [times, moment, from]),
	),
);

describe('a memory that fails', () => {
	test.each(sampleOf(OUTAGES, 17))(
		'%d times, %s its work, from operation %d on: every word is true',
		async (times, moment, from) => {
			const fault = outage(moment, from, times);
			fault.isOn = true;
			const first = await send();
			const sent = ITEMS.flatMap(({ toId }, index) => (first[index] === 'sent' ? [toId] : []));
			expect(accepted).toEqual(sent);
			fault.isOn = false;
			const second = await send();
			expectNobodyTwice();
			for (const [index, end] of second.entries()) {
				if (first[index] === 'notSent') expect(end).toBe('sent');
				if (first[index] === 'sent') expect(end).toMatch(/skipped|unknown/);
			}
			// One fault before anything was done is nobody's loss.
			if (times === 1 && moment === 'before') {
				expect(first).toEqual(Array(5).fill('sent'));
				expect(second).toEqual(Array(5).fill('skipped'));
			}
		},
	);

	test.each(Array.from({ length: 8 }, (_, from) => from))(
		'once, after its work, at operation %d of the next run: nobody gets it again',
		async (from) => {
			const fault = outage('after', from, 1);
			await send();
			fault.isOn = true;
			await send([...ITEMS, { toId: 'another' }]);
			fault.isOn = false;
			await send([...ITEMS, { toId: 'another' }]);
			expectNobodyTwice();
		},
	);
});

test.each(sampleOf([30, 50, 100, 200], 2))(
	'what was sent stays sent, with %d at once',
	async (maxConcurrency) => {
		const items = recipients(250);
		await send(items, { maxConcurrency });
		for (let run = 0; run < 2; run++) {
			expect(await send(items, { maxConcurrency })).toEqual(Array(250).fill('skipped'));
		}
		expect(accepted).toHaveLength(250);
	},
);

test('what was sent stays sent, where n8n drops its oldest entries', async () => {
	await send();
	memory.rows.fill(40_800);
	const items = recipients(200).map(({ toId }) => ({ toId: `${toId} anew` }));
	expect(await send(items, { maxConcurrency: 20 })).toEqual(Array(200).fill('sent'));
	expect(await send(items, { maxConcurrency: 20 })).toEqual(Array(200).fill('skipped'));
	expectNobodyTwice();
});

test('runs that only skip leave nothing behind', async () => {
	await send();
	const lengths: number[] = [];
	for (let run = 0; run < 40; run++) {
		await send();
		lengths.push(memory.rows.hashes().length);
	}
	expect(Math.max(...lengths.slice(20))).toBeLessThanOrEqual(Math.max(...lengths.slice(0, 20)));
});

test('Resend if Unknown stops where it is refused', async () => {
	own.answer = (_, response) => void response.socket?.destroy();
	expect(await send()).toEqual(Array(5).fill('unknown'));
	const before = own.requests.length;
	own.answer = (_, response) => json(response, { ok: false, code: 1, message: 'no' });
	const resending = keyed(ITEMS, { resendUnknown: true });
	resending.nodes.find(({ name }) => name === NODE)!.onError = 'stopWorkflow';
	const run = await own.engine.run(resending);
	expect(resultOf(run).error).toMatchObject({ context: { itemIndex: 0 } });
	expect(own.requests).toHaveLength(before + 1);
});

describe('a Retry where it does not answer', () => {
	const parameters = (more: Json) => ({ ...SEND, options: { maxTries: 1, ...more } });
	const failing = async (more: Json, outcome: 'lost' | 'refused') => {
		own.answer = ({ body }, response) => {
			if (body.toId === 'customer-1') json(response, { ok: true, code: 0 });
			else if (outcome === 'lost') response.socket?.destroy();
			else json(response, { ok: false, code: 1, message: 'no' });
		};
		const fault = outage('before', 0, Infinity);
		const failed = await own.engine.run(workflowOf(recipients(3), parameters(more)));
		fault.isOn = true;
		own.answer = ({ body }, response) => {
			accepted.push(body.toId);
			json(response, { ok: true, code: 0 });
		};
		return failed;
	};

	test('leaves in doubt what is in doubt, though it should resend it', async () => {
		const resend = { sendOnceKey: 'spring', resendUnknown: true };
		const failed = await failing(resend, 'lost');
		const workflow = workflowOf(recipients(3), parameters(resend), {
			onError: 'continueRegularOutput',
		});
		const run = await own.engine.retry(workflow, failed);
		expect(endsOf(jsonsOf(run))).toEqual(['sent', 'unknown', 'notSent']);
		expect(JSON.stringify(jsonsOf(run)[1])).not.toMatch(/[Nn]othing was sent/);
		expect(accepted).toEqual([]);
	});

	test.each([0, 1, 2, 3, 5])(
		'goes on without a key, from its operation %d on, and says so',
		async (healthy) => {
			const failed = await failing({}, 'refused');
			let operations = 0;
			memory.begin(
				() => 0,
				() => {
					if (operations++ >= healthy) throw new Error('the database is gone');
				},
			);
			const run = await own.engine.retry(workflowOf(recipients(3), parameters({})), failed);
			expect(resultOf(run).error).toBeUndefined();
			expect(accepted).toEqual(['customer-2', 'customer-3']);
			const hints = run.data.resultData.runData[NODE]?.at(-1)?.hints ?? [];
			const words = hints.map(({ message }) => message).join();
			if (healthy < 2) expect(words).toMatch(/^n8n could not tell whether another Retry/);
			expect(words).not.toMatch(/Key/);
		},
	);
});

test('a refusal does not take back what another execution sent meanwhile', async () => {
	const one = [{ toId: 'customer-1' }];
	const answer = own.answer;
	own.answer = async (_, response) => {
		own.answer = answer;
		await eventually(() => accepted.length === 1);
		json(response, { ok: false, code: 1, message: 'no' });
	};
	const refused = own.engine.begin(keyed(one));
	await eventually(() => own.requests.length === 1);
	expect(await send(one, { resendUnknown: true })).toEqual(['sent']);
	expect(endsOf(jsonsOf(await refused.finished))).toEqual(['rejected']);
	expect(await send(one)).toEqual(['skipped']);
});

/** Rows of which one worker writes back late what it read: it stood still in between. */
function pausing(rows: MemoryRows, milliseconds: number) {
	let isReading = false;
	return {
		rows: {
			find: async (id: string) => await rows.find(id),
			insert: async (id: string, row: string) => await rows.insert(id, row),
			async update(id: string, row: string) {
				if (isReading) await wait(milliseconds);
				isReading = false;
				await rows.update(id, row);
			},
		} satisfies Rows,
		pause: () => (isReading = true),
	};
}

const workers: Worker[] = [];
afterEach(async () => void (await Promise.all(workers.splice(0).map((worker) => worker.kill()))));

test('a worker that stands still sends nothing again of what another one began and ended meanwhile', async () => {
	const rows = new MemoryRows(() => 2);
	const { rows: late, pause } = pausing(rows, 3000);
	for (const [index, kept] of [late, rows].entries()) {
		const { credential } = own;
		workers.push(await Worker.start(index + 1, { credential } as never, () => kept));
	}
	const answer = own.answer;
	own.answer = async (received, response, request) => {
		if (accepted.length === 20) pause();
		await answer(received, response, request);
	};
	const all = recipients(60);
	const [standing, other] = workers;
	const running = standing!.run(keyed(all, { maxConcurrency: 2 }));
	await eventually(() => accepted.length > 20);
	await wait(500);
	await other!.run(keyed(all.slice(-10), { maxConcurrency: 2 }));
	await running;
	expectNobodyTwice();
	expect(accepted).toHaveLength(60);
});

test.each([
	['with different keys', 1000, ['spring', 'summer']],
	['with different keys', 3000, ['spring', 'summer']],
	['with the same keys', 3000, ['spring', 'spring']],
])(
	'two workers %s, one of which writes back what it read %d ms ago: nobody gets it again',
	async (_, milliseconds, keys) => {
		const rows = new MemoryRows(() => 2);
		const { rows: late, pause } = pausing(rows, milliseconds);
		const { credential } = own;
		for (const [index, kept] of [late, rows].entries()) {
			workers.push(await Worker.start(index + 1, { credential } as never, () => kept));
		}
		const answer = own.answer;
		own.answer = async (received, response, request) => {
			await wait(30);
			if (accepted.length === 20) pause();
			await answer(received, response, request);
		};
		const workflows = keys.map((sendOnceKey) =>
			keyed(
				recipients(60).map(({ toId }) => ({ toId: `${sendOnceKey} ${toId}` })),
				{ sendOnceKey, maxConcurrency: 2 },
			),
		);
		await Promise.all(
			workflows.map(async (workflow, index) => await workers[index]!.run(workflow)),
		);
		expect(accepted).toHaveLength(new Set(keys).size * 60);
		await wait(milliseconds);
		for (const workflow of workflows) {
			const { jsons } = await workers[1]!.run(workflow);
			expect(endsOf(jsons)).toEqual(Array(60).fill('skipped'));
		}
		expectNobodyTwice();
	},
);
