import type { IDataObject, IRun } from 'n8n-workflow';

import { DeduplicationStandIn, MemoryRows } from '../dev/engine/deduplicationStandIn';
import type { WorkflowJson } from '../dev/engine/engine';
import { CONTINUE, customers, retrying } from './messages';
import { answer, json, text, useOwnServer, type End } from './ownServer';
import {
	indexesOf,
	looped,
	recipients,
	resultOf,
	SEND,
	VIDEO,
	workflowOf,
	type NodeSettings,
} from './setup';
import { eventually } from './turns';

/** Within one execution, and in its Retries from the list. */

const own = useOwnServer();
type Item = { toId: string };
type Json = Record<string, unknown>;

const MODES = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const;
const ONE_TRY = { ...SEND, options: { maxTries: 1 } };
const onWire = () => own.requests.map(({ body }) => body.toId);

async function retries(workflow: WorkflowJson, run: IRun, count: number): Promise<IRun> {
	for (let retry = 0; retry < count; retry++) run = await own.engine.retry(workflow, run);
	return run;
}

describe('Retry On Fail sends nothing twice', () => {
	const COUNT = 5;
	const CASES = MODES.flatMap((onError) =>
		[0, 2, COUNT - 1].flatMap((position) =>
			(['rejected', 'notSent', 'lost'] as const).map((failure, index) => ({
				tries: index === 1 ? 5 : 2,
				onError,
				position,
				failure,
			})),
		),
	);

	test.each(CASES)(
		'with $tries tries, $onError and item $position $failure',
		async ({ tries, onError, position, failure }) => {
			const failing = `customer-${position + 1}`;
			answer(own, { [failing]: failure });
			const workflow = workflowOf(recipients(COUNT), ONE_TRY, retrying(tries, onError));
			const { items, errorItems, error } = resultOf(await own.engine.run(workflow));

			const stops = onError === 'stopWorkflow';
			// n8n runs the node again where it throws, and where its first output item is an error.
			const isRunAgain = failure !== 'lost' && (stops || position === 0);
			const made = onWire().filter((toId) => toId === failing);
			expect(made).toHaveLength(isRunAgain ? tries : 1);
			const others = customers(1, 2, 3, 4, 5).filter((toId) => toId !== failing);
			const sent = stops ? others.slice(0, position) : others;
			expect(onWire().filter((toId) => toId !== failing)).toEqual(sent);
			if (stops) {
				const outcome = failure === 'lost' ? 'unknown' : 'rejected';
				expect(error).toMatchObject({
					context: { itemIndex: position },
					errorResponse: { outcome },
				});
				const words = new RegExp(`${position} of ${COUNT} items were sent`);
				if (position > 0) expect(error?.description).toMatch(words);
				return;
			}
			const all = [...items, ...errorItems];
			expect(all).toHaveLength(COUNT);
			expect(indexesOf(all.filter(({ json }) => json.error))).toEqual([position]);
			if (errorItems.length === 0) expect(indexesOf(items)).toEqual([0, 1, 2, 3, 4]);
		},
	);

	test('and gives the stored results of sent items', async () => {
		let refusals = 1;
		own.answer = ({ body }, response) => {
			const isRefused = body.toId === 'customer-3' && refusals-- > 0;
			json(response, { code: isRefused ? 9 : 0, request_id: `svc_${own.requests.length}` });
		};
		const { items, error } = resultOf(
			await own.engine.run(workflowOf(recipients(3), ONE_TRY, retrying(2))),
		);
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.request_id)).toEqual(['svc_1', 'svc_2', 'svc_4']);
	});

	test('but with Resend if Unknown an unknown item', async () => {
		answer(own, { 'customer-2': 'lost' });
		const parameters = { ...SEND, options: { maxTries: 1, resendUnknown: true } };
		await own.engine.run(workflowOf(recipients(2), parameters, retrying(2)));
		expect(onWire()).toEqual(customers(1, 2, 2));
	});
});

describe('an `error` in the answer to a message that was sent', () => {
	const VALUES = ['""', '0', 'null', 'false', 'true', '"none"', '[]', '{}', '{"message":"none"}'];
	const CASES = VALUES.flatMap((value, index) =>
		[false, true].map((simplify) => ({
			value,
			simplify,
			onError: MODES[index % 3] as (typeof MODES)[number],
			tries: 2 + (index % 4),
		})),
	);

	test.each(CASES)(
		'$value with $onError, $tries tries, Simplify $simplify: sent once, and a success',
		async ({ onError, simplify, value, tries }) => {
			const [before, after] = simplify ? ['"data":{"id":1,', '}'] : ['', ''];
			const body = `{"ok":true,"code":0,"request_id":"svc_1",${before}"error":${value}${after}}`;
			own.answer = (_, response) => text(response, body);
			const workflow = workflowOf(recipients(3), { ...SEND, simplify }, retrying(tries, onError));
			const run = await own.engine.run(workflow);
			expect(onWire()).toEqual(customers(1, 2, 3));
			expect(run.status).toBe('success');
			expect(resultOf(run).items).toHaveLength(3);
			expect(resultOf(run).errorItems).toHaveLength(0);
		},
	);

	test.each(MODES)('is kept while others fail, and in a loop, with %s', async (onError) => {
		own.answer = ({ body }, response) => {
			if (body.toId === 'customer-2') return void response.socket?.destroy();
			const isRefused = body.toId === 'customer-3';
			json(response, isRefused ? { code: 9 } : { ok: true, code: 0, error: '' });
		};
		const settings = retrying(3, onError);
		await own.engine.run(workflowOf(recipients(4), SEND, settings));
		const stops = onError === 'stopWorkflow';
		const others = onWire().filter((toId) => toId !== 'customer-3');
		expect(others).toEqual(stops ? customers(1, 2) : customers(1, 2, 4));
		own.requests.length = 0;
		own.answer = (_, response) => json(response, { ok: true, code: 0, error: 0 });
		const run = await own.engine.run(looped(workflowOf(recipients(4), SEND, settings)));
		expect(run.data.resultData.runData.Workchat).toHaveLength(4);
		expect(onWire()).toEqual(customers(1, 2, 3, 4));
	});
});

/** Expressions that come out differently from try to try, as `$now` and `Math.random()` do. */
const CHANGING = '{{ Math.random() }}';
const FIELDS = { ...SEND, specifyFeedVideo: 'fields', ...VIDEO, username: '={{ $json.toId }}' };
const CHANGING_VIDEO = {
	...SEND,
	feedVideo: `={{ ({ ...${JSON.stringify(VIDEO)}, username: $json.toId, feedNo: Math.random() }) }}`,
};

describe.each<[string, Json]>([
	['Recipient ID', { ...FIELDS, toId: `={{ $json.toId }}-${CHANGING}` }],
	['Instance GUID', { ...FIELDS, instanceGuid: `=${CHANGING}` }],
	['Encode Data', { ...FIELDS, encodeData: '={{ $now.toISO() }}' }],
	['Cover URL', { ...FIELDS, coverUrl: `=https://example.com/?${CHANGING}` }],
	[
		'every field',
		Object.fromEntries(
			Object.entries(FIELDS).map(([name, value]) =>
				name in VIDEO && name !== 'username' ? [name, `=${value}?${CHANGING}`] : [name, value],
			),
		),
	],
	['JSON of the video', CHANGING_VIDEO],
	['an option', { ...FIELDS, options: { timeout: '={{ 20000 + 9999 * Math.random() }}' } }],
	['Simplify', { ...FIELDS, simplify: '={{ Math.random() < 0.5 }}' }],
])('with %s that changes from try to try', (_, parameters) => {
	/** Of every request, whose message it is, whatever became of the other fields. */
	const whose = () => own.requests.map(({ body }) => body.username);
	const refuseOrLose = (refused: string, lost = '') => {
		own.answer = ({ body }, response) =>
			body.username === lost
				? void response.socket?.destroy()
				: json(response, { code: body.username === refused ? 9 : 0 });
	};

	test('Retry On Fail, and in Retries, sends nothing twice', async () => {
		refuseOrLose('customer-3');
		const workflow = workflowOf(recipients(4), parameters, retrying(3));
		const failed = await retries(workflow, await own.engine.run(workflow), 2);
		expect(failed.status).toBe('error');
		expect(whose()).toEqual(customers(1, 2, ...Array<number>(9).fill(3)));
		refuseOrLose('nobody');
		const run = await own.engine.retry(workflow, failed);
		expect(run.status).toBe('success');
		expect(whose().slice(11)).toEqual(customers(3, 4));
		expect(resultOf(run).items).toHaveLength(4);
	});

	test('Retry On Fail, and in Retries, does not repeat what may have been sent', async () => {
		refuseOrLose('nobody', 'customer-2');
		const workflow = workflowOf(recipients(3), parameters, retrying(5));
		const run = await retries(workflow, await own.engine.run(workflow), 2);
		expect(whose()).toEqual(customers(1, 2));
		expect(resultOf(run).error).toMatchObject({ errorResponse: { outcome: 'unknown' } });
	});
});

/** Expressions with `Math.random()` come out one way until it is called, and another way afterwards. */
function turning() {
	let isTurned = false;
	jest.spyOn(Math, 'random').mockImplementation(() => (isTurned ? 0.9 : 0.1));
	return () => void (isTurned = true);
}
afterEach(() => jest.restoreAllMocks());

describe.each<[string, Json]>([
	['Recipient ID comes out empty', { toId: '={{ Math.random() < 0.5 ? $json.toId : "" }}' }],
	['Recipient ID fails', { toId: '={{ Math.random() < 0.5 ? $json.toId : $json.no.such.field }}' }],
	['Instance GUID is empty', { instanceGuid: '={{ Math.random() < 0.5 ? "instance" : "" }}' }],
	['the JSON is text', { feedVideo: `={{ Math.random() < 0.5 ? ${SEND.feedVideo} : "none" }}` }],
	['an option is wrong', { options: { timeout: '={{ Math.random() < 0.5 ? 9999 : -1 }}' } }],
	['one of the run is wrong', { options: { maxTries: '={{ Math.random() < 0.5 ? 1 : "many" }}' } }],
])('once a message was sent, %s', (_, more) => {
	const parameters = { ...SEND, ...more };
	const workflow = workflowOf(recipients(3), parameters);

	test('in Retry On Fail it stays sent', async () => {
		const turn = turning();
		own.answer = ({ body }, response) => {
			// The service's own `error` makes n8n run the node again.
			json(response, { ok: true, code: 0, ...(body.toId === 'customer-1' && { error: 'x' }) });
			if (body.toId === 'customer-1') turn();
		};
		const settings = retrying(2, 'continueRegularOutput');
		const { items } = resultOf(
			await own.engine.run(workflowOf(recipients(3), parameters, settings)),
		);
		expect(items[0]?.json).toMatchObject({ ok: true, code: 0 });
		expect(onWire().filter((toId) => toId === 'customer-1')).toHaveLength(1);
	});

	test('in a Retry it stays sent, or unknown', async () => {
		const turn = turning();
		answer(own, { 'customer-2': 'lost' });
		const failed = await own.engine.run(workflow);
		turn();
		const goesOn = workflowOf(recipients(3), parameters, CONTINUE);
		const { items } = resultOf(await own.engine.retry(goesOn, failed));
		expect(items[0]?.json).toMatchObject({ ok: true, code: 0 });
		expect(items[1]?.json).toMatchObject({ error: { outcome: 'unknown' } });
		expect(items[2]?.json).toMatchObject({ error: { outcome: 'notSent' } });
		expect(onWire()).toEqual(customers(1, 2));
	});

	test('with Resend if Unknown it stays unknown', async () => {
		const turn = turning();
		answer(own, { else: 'lost' });
		const options = { maxTries: 1, resendUnknown: true, ...(more.options as Json) };
		const resending = workflowOf(recipients(1), { ...parameters, options });
		const failed = await own.engine.run(resending);
		turn();
		const { error } = resultOf(await own.engine.retry(resending, failed));
		expect(error).toMatchObject({ errorResponse: { outcome: 'unknown' } });
		expect(onWire()).toHaveLength(1);
	});
});

describe('a Retry', () => {
	test('says of an unknown item the same each time, also where Resend if Unknown was on', async () => {
		answer(own, { 'customer-2': 'lost' });
		const options = { maxTries: 1, resendUnknown: true };
		const failed = await own.engine.run(workflowOf(recipients(2), { ...SEND, options }));
		const run = await retries(workflowOf(recipients(2), ONE_TRY), failed, 3);
		const { error } = resultOf(run);
		expect(error?.message).toMatch(/closed the connection/);
		expect(error?.description?.match(/did not send it again/g)).toHaveLength(1);
		expect(onWire()).toEqual(customers(1, 2));
	});

	test.each<[string, Json]>([
		['Instance GUID', { instanceGuid: 'another' }],
		['the video', { feedVideo: JSON.stringify({ ...VIDEO, feedNo: 'another' }) }],
	])('sends items of which %s was changed meanwhile', async (_, more) => {
		answer(own, { 'customer-2': 'rejected' });
		const failed = await own.engine.run(workflowOf(recipients(2), SEND));
		await own.engine.retry(workflowOf(recipients(2), { ...SEND, ...more }), failed);
		expect(onWire()).toEqual(customers(1, 2, 1, 2));
	});

	test.each<[string, Json, RegExp]>([
		['all items fail', { toId: '={{ $json.noSuchField }}' }, /Recipient ID/],
		['an option fail', { options: { maxTries: 0 } }, /Max Tries/],
		[
			'another item fail',
			{ toId: '={{ $json.toId === "customer-4" ? "" : $json.toId }}' },
			/Recipient ID/,
		],
	])('after edits that made %s, taken back, sends nothing twice', async (_, wrong, says) => {
		answer(own, { 'customer-3': 'rejected' });
		const workflow = workflowOf(recipients(4), CHANGING_VIDEO);
		const failed = await own.engine.run(workflow);
		const edited = workflowOf(recipients(4), { ...CHANGING_VIDEO, ...wrong });
		const failedAgain = await own.engine.retry(edited, failed);
		expect(resultOf(failedAgain).error?.message).toMatch(says);
		answer(own, {});
		expect((await own.engine.retry(workflow, failedAgain)).status).toBe('success');
		expect(onWire()).toEqual(customers(1, 2, 3, 3, 4));
	});

	test.each<[string, object]>([
		['Request Interval', { options: { requestInterval: 1 } }],
		['how the video is written', { feedVideo: JSON.stringify({ more: 1, ...VIDEO }) }],
		['what means the same', { toId: '={{ ($json.toId) }}' }],
		['the name of the mode', { ...FIELDS, username: VIDEO.username }],
	])('after edits of %s, and back, sends nothing twice', async (_, more) => {
		answer(own, { 'customer-3': 'rejected' });
		const failed = await own.engine.run(workflowOf(recipients(4), SEND));
		const edited = workflowOf(recipients(4), { ...SEND, ...more });
		const failedAgain = await own.engine.retry(edited, failed);
		await own.engine.retry(workflowOf(recipients(4), SEND), failedAgain);
		expect(onWire()).toEqual(customers(1, 2, 3, 3, 3));
	});

	test.each<[string, object]>([
		['Resend if Unknown', { options: { resendUnknown: true } }],
		['Timeout', { options: { timeout: 60_000 } }],
		['Send Once Key', { options: { sendOnceKey: 'spring' } }],
		['Simplify', { simplify: true }],
		['what stands there by default', { resource: 'message', options: {} }],
		['what another way to give the fields has', { channelName: 'left from before' }],
	])('after an edit of %s keeps what is sent, though it changes', async (what, more) => {
		answer(own, { 'customer-3': 'lost' });
		const failed = await own.engine.run(workflowOf(recipients(4), CHANGING_VIDEO));
		expect(onWire()).toEqual(customers(1, 2, 3));
		answer(own, {});
		own.engine.deduplicator = new DeduplicationStandIn(new MemoryRows());
		await own.engine.retry(workflowOf(recipients(4), { ...CHANGING_VIDEO, ...more }), failed);
		own.engine.deduplicator = undefined;
		expect(onWire().slice(3)).toEqual(what === 'Resend if Unknown' ? customers(3, 4) : []);
	});

	test('gives the stored results, Simplify or not', async () => {
		answer(own, { 'customer-2': 'rejected' });
		const failed = await own.engine.run(workflowOf(recipients(2), SEND));
		own.answer = (_, response) => json(response, { ok: true, code: 0, data: { id: 2 } });
		const simplified = workflowOf(recipients(2), { ...SEND, simplify: true });
		const { items } = resultOf(await own.engine.retry(simplified, failed));
		const first = { ok: true, code: 0, request_id: 'svc_customer-1' };
		expect(items.map(({ json: item }) => item)).toEqual([first, { id: 2 }]);
	});

	/** Puts other items in the place of those that the failed execution goes on with. */
	const withItems = (run: IRun, items: object[]): IRun => {
		const [next] = run.data.executionData?.nodeExecutionStack ?? [];
		if (next) next.data.main = [items.map((item) => ({ json: { ...item } as IDataObject }))];
		return run;
	};
	const [first, second, third, fourth] = recipients(4) as [Item, Item, Item, Item];
	const another = { toId: 'another' };

	test.each<[string, Item[], string[]]>([
		[
			'one inserted first',
			[another, first, second, third, fourth],
			['another', ...customers(3, 4)],
		],
		['one inserted between', [first, another, second, third], ['another', 'customer-3']],
		['the first removed', [second, third, fourth], customers(3, 4)],
		['their order turned round', [fourth, third, second, first], customers(4, 3)],
		['one of them twice', [first, first, second, third], customers(1, 3)],
		['all of them others', [another, another], ['another', 'another']],
		[
			'circles in them',
			recipients(4).map((item) => Object.assign(item, { self: item })),
			customers(3, 4),
		],
	])('with %s sends each item once', async (_, items, sent) => {
		answer(own, { 'customer-3': 'rejected' });
		const workflow = workflowOf(recipients(4), SEND);
		const failed = await own.engine.run(workflow);
		own.requests.length = 0;
		answer(own, {});
		const run = await own.engine.retry(workflow, withItems(failed, items));
		expect(run.status).toBe('success');
		expect(onWire()).toEqual(sent);
		expect(resultOf(run).items).toHaveLength(items.length);
	});

	test('with rows that move from Retry to Retry sends each item once', async () => {
		answer(own, { 'customer-3': 'rejected' });
		const workflow = workflowOf(recipients(4), SEND);
		const orders = [
			[third, first, second, fourth],
			[second, third, first],
			[fourth, third, second, first],
			[first, second, fourth],
		];
		let run = await own.engine.run(workflow);
		for (const items of orders) run = await own.engine.retry(workflow, withItems(run, items));
		expect(run.status).toBe('success');
		expect(onWire().filter((toId) => toId !== 'customer-3')).toEqual(customers(1, 2, 4));
	});

	test('takes duplicates in the list for one message each', async () => {
		answer(own, { 'customer-3': 'rejected' });
		const workflow = workflowOf([first, first, first, third], CHANGING_VIDEO);
		const again = await retries(workflow, await own.engine.run(workflow), 1);
		expect(onWire()).toEqual(customers(1, 1, 1, 3, 3));
		await own.engine.retry(workflow, withItems(again, [first, first, first, first]));
		expect(onWire().slice(5)).toEqual(customers(1));
	});

	test('sends duplicates of which some were sent as often as is left', async () => {
		let left = 2;
		own.answer = (_, response) => json(response, { code: left-- > 0 ? 0 : 9 });
		const workflow = workflowOf([first, first, first, first], SEND);
		const failed = await own.engine.run(workflow);
		left = 9;
		await own.engine.retry(workflow, withItems(failed, [another, first, first, first, first]));
		expect(onWire().slice(3)).toEqual(['another', ...customers(1, 1)]);
	});

	test('finds in its new place what may have been sent', async () => {
		answer(own, { 'customer-2': 'lost' });
		const workflow = workflowOf(recipients(3), SEND);
		const failed = await own.engine.run(workflow);
		const run = await own.engine.retry(workflow, withItems(failed, [second, first, third]));
		expect(resultOf(run).error).toMatchObject({ context: { itemIndex: 0 } });
		await own.engine.retry(workflow, withItems(run, [another, first, second, third]));
		expect(onWire()).toEqual([...customers(1, 2), 'another']);
	});
});

describe('what the ledger holds', () => {
	const contextOf = (run: IRun) => run.data.executionData?.contextData['node:Workchat'];
	const EMPTY = { workchatExecution: expect.stringMatching(/^\d+$/) as string };

	test.each<[string, End, NodeSettings]>([
		['every item succeeded', 'sent', {}],
		['nothing can run the node again', 'rejected', CONTINUE],
	])('is nothing once %s', async (_, end, settings) => {
		answer(own, { else: end });
		const run = await own.engine.run(workflowOf(recipients(3), SEND, settings));
		expect(contextOf(run)).toEqual(EMPTY);
	});

	test('is hashes and results of what a failed run sent', async () => {
		answer(own, { 'customer-2': 'rejected' });
		const run = await own.engine.run(workflowOf(recipients(3), SEND));
		const sources = [expect.stringMatching(/^[\w+/]{43}= 0$/)];
		const digest = expect.stringMatching(/^[\w+/]{43}=$/) as string;
		const kept = { ok: true, code: 0, request_id: 'svc_customer-1' };
		const workchatLedger = { run: '0', notes: [{ sources, digest, json: kept }] };
		expect(contextOf(run)).toEqual({ ...EMPTY, workchatLedger });
	});

	test('is kept where the execution is cancelled', async () => {
		own.answer = ({ body }, response) => {
			if (body.toId === 'customer-1') json(response, { ok: true, code: 0 });
		};
		const running = own.engine.begin(workflowOf(recipients(3), SEND, CONTINUE));
		await eventually(() => own.requests.length === 2);
		running.cancel();
		const notes = [{ json: { code: 0 } }, { unknown: { outcome: 'unknown' } }];
		expect(contextOf(await running.finished)).toMatchObject({ workchatLedger: { notes } });
	});

	test.each<End>(['sent', 'lost'])('is of one iteration of a loop: %s', async (end) => {
		answer(own, { else: end });
		const same = [{ toId: 'customer-1' }, { toId: 'customer-1' }];
		const settings = retrying(2, 'continueRegularOutput');
		const run = await own.engine.run(looped(workflowOf(same, ONE_TRY, settings)));
		expect(run.data.resultData.runData.Workchat).toHaveLength(2);
		expect(onWire()).toEqual(customers(1, 1));
	});
});
