import { setTimeout as wait } from 'node:timers/promises';

import type { IRun } from 'n8n-workflow';

import { Engine } from '../dev/engine/engine';
import type { Misbehaviour, Schedule } from '../dev/sandbox/misbehaviour';
import { samples } from '../dev/sandbox/samples';
import {
	DOWNLOAD,
	INSTANCE,
	KEY,
	looped,
	NODE,
	recipients,
	resultOf,
	SEND,
	useBench,
	useMemory,
	VIDEO,
	workflowOf,
	type NodeSettings,
} from './setup';
import { sampleOf } from './thorough';
import { eventually, turnsOf, within } from './turns';

const bench = useBench();
const memory = useMemory(bench);

type Json = Record<string, unknown>;

const NAME = 'spring-offer';
const SKIPPED = {
	skipped: true,
	reason: 'This recipient got a message with this Send Once Key before',
	sendOnceKey: NAME,
};
const CONTINUE: NodeSettings = { onError: 'continueRegularOutput' };
const REFUSE: Misbehaviour = { kind: 'refuse', code: 1, message: 'no' };
const LOSE: Misbehaviour = { kind: 'dropAfterAccepting' };

/** Parameters that send under one name, in one try. */
const keyed = (options: Json = {}, parameters: Json = {}): Json => ({
	...SEND,
	...parameters,
	options: { maxTries: 1, sendOnceKey: NAME, ...options },
});
const send = async (items: Json[], parameters = keyed(), settings = CONTINUE) =>
	await bench.engine.run(workflowOf(items, parameters, settings));

const to = (toId: string): Schedule => ({ when: (body) => body.toId === toId });
const onWire = () => bench.sandbox.requests.map(({ body }) => body?.toId);
const jsonsOf = (run: IRun) => resultOf(run).items.map(({ json }) => json);
interface ErrorJson {
	outcome: string;
	message: string;
	description: string;
}
const errorsOf = (run: IRun) =>
	jsonsOf(run).map(({ error }) => error as unknown as ErrorJson | undefined);

/** In one word for each item. */
const endsOf = (run: IRun) =>
	jsonsOf(run).map(({ error, skipped }) =>
		error ? (error as unknown as ErrorJson).outcome : skipped ? 'skipped' : 'sent',
	);
const hintsOf = (run: IRun) =>
	run.data.resultData.runData[NODE]?.[0]?.hints?.map(({ message }) => message) ?? [];
const nobodyAsked = () => expect(memory.deduplicator.calls).toEqual([]);
const openEntries = () => memory.entries().filter((entry) => entry.endsWith(' open'));

describe('a later execution', () => {
	test.each([false, true])('skips who got it (Simplify: %s)', async (simplify) => {
		const parameters = keyed({}, { simplify });
		await send(recipients(2), parameters);
		const run = await send(recipients(3), parameters);

		expect(onWire()).toEqual(['customer-1', 'customer-2', 'customer-3']);
		const data = { messageId: 'sandbox-message-3' };
		expect(resultOf(run).items).toEqual([
			{ json: SKIPPED, pairedItem: { item: 0 } },
			{ json: SKIPPED, pairedItem: { item: 1 } },
			{
				json: simplify ? data : (expect.objectContaining({ code: 0, data }) as object),
				pairedItem: { item: 2 },
			},
		]);
		expect(resultOf(run).error).toBeUndefined();
	});

	test('skips them on the first output, also with an error output', async () => {
		await send(recipients(1));
		const run = await send(recipients(1), keyed(), { onError: 'continueErrorOutput' });
		expect(jsonsOf(run)).toEqual([SKIPPED]);
		expect(resultOf(run).errorItems).toEqual([]);
	});

	test('skips who got another content under the same name', async () => {
		await send(recipients(1));
		const feedVideo = JSON.stringify({ ...VIDEO, feedId: 'another' });
		expect(jsonsOf(await send(recipients(1), keyed({}, { feedVideo })))).toEqual([SKIPPED]);
	});

	test('sends the same content under another name', async () => {
		await send(recipients(1));
		expect(endsOf(await send(recipients(1), keyed({ sendOnceKey: 'summer-offer' })))).toEqual([
			'sent',
		]);
	});

	test('takes a name with white space around it for the same', async () => {
		await send(recipients(1), keyed({ sendOnceKey: `  ${NAME}\n` }));
		expect(jsonsOf(await send(recipients(1)))).toEqual([SKIPPED]);
	});

	test('sends to another recipient and from another instance', async () => {
		await send([{ toId: 'customer-1' }]);
		expect(endsOf(await send([{ toId: 'customer-2' }]))).toEqual(['sent']);
		const fromOther = keyed({}, { instanceGuid: 'other' });
		expect(endsOf(await send([{ toId: 'customer-1' }], fromOther))).toEqual(['sent']);
		expect(bench.sandbox.messages.map(({ instance_guid, toId }) => [instance_guid, toId])).toEqual([
			[INSTANCE, 'customer-1'],
			[INSTANCE, 'customer-2'],
			['other', 'customer-1'],
		]);
	});

	test('knows a service by its address, however that is written', async () => {
		await send(recipients(1));
		const { port } = new URL(bench.sandbox.url);
		const at = async (baseUrl: string) => {
			const credential = { apiKey: KEY, baseUrl, defaultInstanceGuid: INSTANCE };
			const engine = await Engine.start({ credential, deduplicator: memory.deduplicator });
			engine.workflowId = bench.engine.workflowId;
			return endsOf(await engine.run(workflowOf(recipients(1), keyed(), CONTINUE)));
		};
		expect(await at(`HTTP://127.0.0.1:${port}/`)).toEqual(['skipped']);
		expect(await at(`http://localhost:${port}`)).toEqual(['sent']);
	});

	test('sends again what was refused', async () => {
		bench.sandbox.misbehave(REFUSE, to('customer-1'));
		expect(endsOf(await send(recipients(2)))).toEqual(['rejected', 'sent']);
		expect(endsOf(await send(recipients(2)))).toEqual(['sent', 'skipped']);
	});

	test('leaves what may have been sent, until Resend if Unknown sends it', async () => {
		bench.sandbox.misbehave(LOSE, { ...to('customer-1'), isAccepted: false });
		expect(endsOf(await send(recipients(2)))).toEqual(['unknown', 'sent']);

		const inDoubt = await send(recipients(2));
		expect(endsOf(inDoubt)).toEqual(['unknown', 'skipped']);
		expect(errorsOf(inDoubt)[0]).toEqual({
			message: `A message with the Send Once Key "${NAME}" was begun for this recipient before, and how that ended is not known`,
			description: expect.stringContaining('switch on Resend if Unknown') as string,
			outcome: 'unknown',
		});
		expect(onWire()).toHaveLength(2);

		const resend = keyed({ resendUnknown: true });
		expect(endsOf(await send(recipients(2), resend))).toEqual(['sent', 'skipped']);
		expect(endsOf(await send(recipients(2), resend))).toEqual(['skipped', 'skipped']);
		expect(onWire()).toHaveLength(3);
	});

	test('keeps in doubt what Resend if Unknown could not send either', async () => {
		bench.sandbox.misbehave(LOSE, to('customer-1'));
		await send(recipients(1));
		bench.sandbox.misbehave(REFUSE, to('customer-1'));
		const again = await send(recipients(1), keyed({ resendUnknown: true }));
		expect(errorsOf(again)[0]?.message).toMatch(/was begun.*Tried again:/);
		expect(endsOf(again)).toEqual(['unknown']);
		expect(endsOf(await send(recipients(1)))).toEqual(['unknown']);
	});

	test('sends what a failure of another item kept from being begun', async () => {
		bench.sandbox.misbehave(REFUSE, to('customer-2'));
		const failed = await send(recipients(8), keyed(), {});
		expect(resultOf(failed).error?.description).toMatch(/1 of 8 items were sent/);
		expect(openEntries()).toEqual([]);
		expect(endsOf(await send(recipients(8)))).toEqual(['skipped', ...Array(7).fill('sent')]);
	});
});

describe('within one list', () => {
	test('a second row to the same recipient is skipped', async () => {
		const run = await send([...recipients(2), ...recipients(2)], keyed({ maxConcurrency: 5 }));
		expect(endsOf(run)).toEqual(['sent', 'sent', 'skipped', 'skipped']);
		expect(onWire().sort()).toEqual(['customer-1', 'customer-2']);
	});

	test('a second row is tried where the first was refused, and not where it may have been sent', async () => {
		bench.sandbox.misbehave(REFUSE, to('customer-1'));
		bench.sandbox.misbehave(LOSE, to('customer-2'));
		const run = await send([...recipients(2), ...recipients(2)]);
		expect(endsOf(run)).toEqual(['rejected', 'unknown', 'sent', 'unknown']);
		expect(onWire()).toEqual(['customer-1', 'customer-2', 'customer-1']);
	});

	test('each row may have a name of its own, or none', async () => {
		const items = [
			{ toId: 'customer-1', name: 'one' },
			{ toId: 'customer-1', name: 'two' },
			{ toId: 'customer-1', name: 'one' },
		];
		const parameters = keyed({ sendOnceKey: '={{ $json.name }}' });
		expect(endsOf(await send(items, parameters))).toEqual(['sent', 'sent', 'skipped']);
	});

	test('messages to one recipient keep their order', async () => {
		const items = Array.from({ length: 60 }, (_, index) => ({
			toId: `customer-${(index * 7) % 6}`,
			number: index,
		}));
		bench.sandbox.misbehave({ kind: 'delay', milliseconds: 3 }, { times: 60 });
		const feedVideo = `={{ { ...${SEND.feedVideo}, feedNo: $json.number } }}`;
		const options = { sendOnceKey: '={{ $json.number }}', maxConcurrency: 4 };
		const run = await send(items, keyed(options, { feedVideo }));
		expect(endsOf(run)).toEqual(items.map(() => 'sent'));
		for (const { toId } of items.slice(0, 6)) {
			const requests = bench.sandbox.requests.filter(({ body }) => body?.toId === toId);
			const numbers = requests.map(({ body }) => Number(body?.feedNo));
			expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
			requests.reduce((before, request) => {
				expect(request.startedAt).toBeGreaterThanOrEqual(before.endedAt ?? Infinity);
				return request;
			});
		}
	});

	test('iterations of a loop know of each other', async () => {
		const items = [{ toId: 'customer-1' }, { toId: 'customer-1' }, { toId: 'customer-2' }];
		await bench.engine.run(looped(workflowOf(items, keyed())));
		expect(onWire()).toEqual(['customer-1', 'customer-2']);
	});
});

describe('a name', () => {
	test.each([
		['nothing', '={{ $json.campaign }}', 'Send Once Key comes out empty: check its expression'],
		['white space', '={{ " " }}', 'Send Once Key comes out empty: check its expression'],
		['an object', '={{ { a: 1 } }}', 'Send Once Key is no text: check its expression'],
		['written white space', ' \n ', 'Send Once Key is blank'],
		['a written list', ['spring-offer'], 'Send Once Key is no text'],
		['an empty list', [], 'Send Once Key is no text'],
	])('that comes out as %s is an error', async (_, sendOnceKey, message) => {
		const run = await send(recipients(2), keyed({ sendOnceKey }));
		expect(errorsOf(run)).toEqual([0, 1].map(() => expect.objectContaining({ message }) as object));
		expect(endsOf(run)).toEqual(['notSent', 'notSent']);
		expect(onWire()).toEqual([]);
	});

	test('is the same in another Unicode form', async () => {
		await send(recipients(1), keyed({ sendOnceKey: 'Frühling é'.normalize('NFD') }));
		const run = await send(recipients(1), keyed({ sendOnceKey: 'Frühling é'.normalize('NFC') }));
		expect(endsOf(run)).toEqual(['skipped']);
	});

	test('may be a number', async () => {
		await send(recipients(1), keyed({ sendOnceKey: '={{ 2026 }}' }));
		const run = await send(recipients(1), keyed({ sendOnceKey: '2026' }));
		expect(jsonsOf(run)).toEqual([{ ...SKIPPED, sendOnceKey: '2026' }]);
	});
});

describe('n8n is not asked', () => {
	test.each([undefined, ''])('about single messages with the name %j', async (sendOnceKey) => {
		bench.sandbox.misbehave(REFUSE, to('customer-2'));
		const settings = { ...CONTINUE, retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
		await send([{ toId: 'customer-2' }, ...recipients(3)], keyed({ sendOnceKey }), settings);
		expect(bench.sandbox.messages).toHaveLength(4);
		expect(memory.deduplicator.calls.length).toBeLessThanOrEqual(2 * 2);
	});

	test('by downloads, though a name was left in their options', async () => {
		const items = [{ ...bench.sandbox.fieldsOf(samples.document) }];
		const run = await send(items, { ...DOWNLOAD, options: { sendOnceKey: NAME } });
		expect(resultOf(run).items[0]?.binary).toBeDefined();
		nobodyAsked();
	});

	test('where no item can be sent', async () => {
		await send([{ toId: '' }]);
		nobodyAsked();
	});
});

describe('with Retry On Fail', () => {
	test('a message is sent once, and a sent one gives its result, not a skipped one', async () => {
		bench.sandbox.misbehave(REFUSE, to('customer-3'));
		const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
		const run = await send(recipients(4), keyed(), settings);
		expect(resultOf(run).error).toBeUndefined();
		expect(endsOf(run)).toEqual(['sent', 'sent', 'sent', 'sent']);
		expect(onWire()).toEqual([
			'customer-1',
			'customer-2',
			'customer-3',
			'customer-3',
			'customer-4',
		]);
	});

	test('what an earlier execution sent is skipped in every try, and counts as sent', async () => {
		await send(recipients(1));
		bench.sandbox.misbehave(REFUSE, { ...to('customer-2'), times: 2 });
		const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
		const run = await send(recipients(2), keyed(), settings);
		expect(resultOf(run).error?.description).toMatch(/1 of 2 items were sent\. /);
		expect(onWire()).toEqual(['customer-1', 'customer-2', 'customer-2']);
	});
});

describe('a cancelled execution', () => {
	test('frees what was not begun, and leaves in doubt what was under way', async () => {
		bench.sandbox.misbehave({ kind: 'hang' }, to('customer-3'));
		const running = bench.engine.begin(workflowOf(recipients(20), keyed(), CONTINUE));
		while (bench.sandbox.requests.length < 3) await wait(5);
		running.cancel();
		await running.finished;
		await eventually(() => openEntries().length === 1);

		const run = await send(recipients(20));
		expect(endsOf(run)).toEqual(['skipped', 'skipped', 'unknown', ...Array(17).fill('sent')]);
	});

	test('ends at once where n8n is slow, and is noted later', async () => {
		memory.begin(() => 60);
		bench.sandbox.misbehave({ kind: 'hang' }, to('customer-3'));
		const running = bench.engine.begin(workflowOf(recipients(20), keyed(), CONTINUE));
		await eventually(() => bench.sandbox.requests.length === 3, 3000);
		const { length } = memory.deduplicator.calls;
		running.cancel();
		const run = await within(60, running.finished);
		expect(endsOf(run)).toEqual(['sent', 'sent', 'unknown']);
		expect(openEntries().length).toBeGreaterThan(1);
		await eventually(() => openEntries().length === 1);
		expect(memory.deduplicator.calls.length).toBeGreaterThan(length);
	});

	test('frees what waits for its turn', async () => {
		const running = bench.engine.begin(
			workflowOf(recipients(5), keyed({ requestInterval: 60_000 }), CONTINUE),
		);
		while (bench.sandbox.requests.length < 1) await wait(5);
		await wait(200);
		running.cancel();
		await running.finished;
		await eventually(() => openEntries().length === 0);
		expect(endsOf(await send(recipients(5)))).toEqual(['skipped', ...Array(4).fill('sent')]);
	});

	test('keeps in doubt what Resend if Unknown was about to send', async () => {
		bench.sandbox.misbehave(LOSE, to('customer-2'));
		await send([{ toId: 'customer-2' }]);
		const resend = keyed({ resendUnknown: true, requestInterval: 60_000 });
		const running = bench.engine.begin(workflowOf(recipients(2), resend, CONTINUE));
		while (bench.sandbox.requests.length < 2) await wait(5);
		await wait(200);
		running.cancel();
		await running.finished;
		expect(endsOf(await send([{ toId: 'customer-2' }]))).toEqual(['unknown']);
	});
});

describe('after a crash', () => {
	test('a run that stops on errors sends all others, and then names those in doubt', async () => {
		bench.sandbox.misbehave({ kind: 'hang' }, to('customer-4'));
		const crashed = bench.engine.begin(workflowOf(recipients(10), keyed(), CONTINUE));
		await eventually(() => bench.sandbox.requests.length === 4);
		crashed.cancel();
		await crashed.finished;
		await eventually(() => openEntries().length === 1);

		const { error } = resultOf(await send(recipients(10), keyed(), {}));
		expect(error?.message).toMatch(/^A message with the Send Once Key .* was begun for this/);
		expect(error?.description).toMatch(/9 of 10 items were sent, and 1 may have been\./);
		expect(error).toMatchObject({ context: { itemIndex: 3 } });
		expect(bench.sandbox.messages).toHaveLength(9);
		await send(recipients(10), keyed(), {});
		expect(bench.sandbox.messages).toHaveLength(9);
	});
});

describe('claims', () => {
	/** The most messages that were claimed and had not reached the service yet, whenever one did. */
	async function mostAhead(items: Json[], maxConcurrency: number): Promise<number> {
		const begun = new Set<string>();
		let most = 0;
		const watch = ({ feedNo }: Json) => {
			begun.add(String(feedNo));
			// The name is the last part of a key.
			const names = openEntries().map((entry) => /"(\d+)"\] open$/.exec(entry)?.[1] ?? '');
			most = Math.max(most, names.filter((name) => !begun.has(name)).length);
			return true;
		};
		bench.sandbox.misbehave({ kind: 'delay', milliseconds: 20 }, { times: 999, when: watch });
		const feedVideo = `={{ { ...${SEND.feedVideo}, feedNo: $itemIndex } }}`;
		const options = { maxConcurrency, sendOnceKey: '={{ $itemIndex }}' };
		const run = await send(items, keyed(options, { feedVideo }));
		expect(new Set(endsOf(run))).toEqual(new Set(['sent']));
		return most;
	}

	test.each([
		[1, 10],
		[5, 20],
		[15, 60],
	])(
		'with Max Concurrency %d run at most %d messages ahead of those in work',
		async (maxConcurrency, ahead) => {
			const most = await mostAhead(recipients(120), maxConcurrency);
			expect(most).toBeGreaterThan(ahead / 2);
			expect(most).toBeLessThanOrEqual(ahead + maxConcurrency);
		},
	);

	test('run ahead in the order of sending, not of the list', async () => {
		const items = [
			...Array.from({ length: 60 }, () => ({ toId: 'customer-1' })),
			...Array.from({ length: 60 }, () => ({ toId: 'customer-2' })),
		];
		expect(await mostAhead(items, 2)).toBeLessThanOrEqual(12);
	});

	test('are not held up for long by one slow call', async () => {
		let calls = 0;
		const isCheck = () => memory.deduplicator.calls.at(-1) === 'check';
		memory.begin(() => (isCheck() && ++calls === 20 ? 1000 : 0));
		const [run, turns] = await turnsOf(send(recipients(60)));
		expect(new Set(endsOf(run))).toEqual(new Set(['sent']));
		expect(calls).toBeGreaterThan(20);
		// Eight times as long would be certain, if all calls took so long.
		expect(turns).toBeLessThan(600);
	});

	test('take few calls', async () => {
		await send(recipients(100), keyed({ maxConcurrency: 10 }));
		expect(memory.deduplicator.calls.length).toBeLessThan(100);
	});
});

describe('what n8n keeps', () => {
	test('is too little for so many: nothing is sent', async () => {
		const items = Array.from({ length: 20_001 }, (_, index) => ({ toId: `customer-${index}` }));
		const run = await send(items, keyed(), {});
		expect(resultOf(run).error?.message).toBe(
			'20001 messages have a Send Once Key, and n8n keeps 20000',
		);
		expect(resultOf(run).error?.description).toMatch(/Nothing was sent/);
		expect(onWire()).toEqual([]);
		nobodyAsked();
	});

	test.each([
		[40_800, 3],
		[40_800, 60],
		[40_800, 200],
		[40_990, 10],
	])(
		'with %d entries, and %d more messages: a hint says so if the oldest are dropped',
		async (count, messages) => {
			const workflow = { id: bench.engine.workflowId, active: false };
			const about = { workflow, node: { id: NODE } as never };
			const old = Array.from({ length: count }, (_, index) => `old ${index}`);
			await memory.deduplicator.checkProcessedAndRecord(old, 'node', about, { mode: 'entries' });
			const hints = hintsOf(await send(recipients(messages), keyed({ maxConcurrency: 50 })));
			const hint = 'n8n remembers 20000 messages of this node: the oldest are forgotten now';
			const isDropped = !memory.entries().includes('old 0');
			expect(hints).toEqual(isDropped ? [expect.stringContaining(hint)] : []);
			expect(isDropped).toBe(messages > 60 || count > 40_900);
			expect(endsOf(await send(recipients(messages)))).toEqual(Array(messages).fill('skipped'));
		},
	);
});

describe('a memory of n8n', () => {
	test('that is not there: nothing goes out with a name', async () => {
		bench.engine.deduplicator = undefined;
		const run = await send(recipients(2));
		expect(endsOf(run)).toEqual(['notSent', 'notSent']);
		expect(errorsOf(run)[0]?.message).toMatch(/could not tell.*needs to initialized/);
		expect(onWire()).toEqual([]);
		expect(endsOf(await send(recipients(2), SEND))).toEqual(['sent', 'sent']);
	});

	test('that fails now and then is asked again', async () => {
		let calls = 0;
		memory.begin(
			() => 0,
			() => {
				if (++calls % 5 === 0) throw new Error('the database is locked');
			},
		);
		expect(endsOf(await send(recipients(3)))).toEqual(['sent', 'sent', 'sent']);
		expect(endsOf(await send(recipients(3)))).toEqual(['skipped', 'skipped', 'skipped']);
	});

	test('that fails from some moment on: what is claimed goes out, and nothing else', async () => {
		let isDown = false;
		memory.begin(
			() => 0,
			() => {
				if (isDown) throw new Error('the database is gone');
			},
		);
		bench.sandbox.misbehave(
			{ kind: 'delay', milliseconds: 0 },
			{ ...to('customer-5'), when: ({ toId }) => (isDown ||= toId === 'customer-5') },
		);
		const run = await send(recipients(40));
		const ends = endsOf(run);
		const sent = ends.filter((end) => end === 'sent').length;
		expect(sent).toBeGreaterThanOrEqual(5);
		expect(sent).toBeLessThanOrEqual(16);
		expect(ends.slice(0, sent)).toEqual(Array(sent).fill('sent'));
		// What n8n was asked about may stand there all the same.
		const asked = ends.slice(sent).filter((end) => end === 'unknown').length;
		expect(asked).toBeLessThanOrEqual(10);
		expect(ends.slice(sent + asked)).toEqual(Array(40 - sent - asked).fill('notSent'));
		expect(bench.sandbox.messages).toHaveLength(sent);

		isDown = false;
		const next = endsOf(await send(recipients(40)));
		expect(new Set(bench.sandbox.messages.map(({ toId }) => toId)).size).toBe(
			bench.sandbox.messages.length,
		);
		// That they were sent is written a little later, and may not have been any more.
		for (const end of next.slice(0, sent)) expect(end).toMatch(/skipped|unknown/);
		expect(next.slice(-20)).toEqual(Array(20).fill('sent'));
	});

	test.each(sampleOf(['find', 'insert', 'update'] as const, 3))(
		'whose %s never returns ends the run all the same',
		async (hanging) => {
			let isUp = false;
			memory.begin(
				() => 0,
				async (operation) => {
					while (operation === hanging && !isUp) await wait(10);
				},
			);
			const [run, turns] = await turnsOf(send(recipients(3)));
			// A new row is inserted; it is the claims that are written then, or not.
			const end = hanging === 'update' ? 'unknown' : 'notSent';
			expect(endsOf(run)).toEqual([end, end, end]);
			expect(errorsOf(run)[0]?.message).toMatch(/does not answer/);
			// Whoever comes after that does not wait as long.
			const [next, fewer] = await turnsOf(send(recipients(3)));
			expect(endsOf(next)).toEqual(['notSent', 'notSent', 'notSent']);
			expect(fewer).toBeLessThan(turns / 3);
			expect(onWire()).toEqual([]);

			isUp = true;
			await wait(1000);
			expect(endsOf(await send([{ toId: 'customer-9' }]))).toEqual(['sent']);
		},
	);
});
