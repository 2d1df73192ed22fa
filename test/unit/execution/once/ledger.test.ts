import type { IRun } from 'n8n-workflow';

import { DeduplicationStandIn } from '../../../../dev/engine/deduplicationStandIn';
import type { WorkflowJson } from '../../../../dev/engine/engine';
import { all, CONTINUE, customers, endsOf, retrying, toIds } from '../../../support/messages';
import { answer, json, useOwnServer, type End } from '../../../support/ownServer';
import {
	looped,
	recipients,
	resultOf,
	SEND,
	VIDEO,
	workflowOf,
	type NodeSettings,
} from '../../../support/setup';
import { eventually } from '../../../support/turns';

/** Within one execution, and in its Retries from the list. */

const own = useOwnServer();
type Json = Record<string, unknown>;

const MODES = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const;
const ONE_TRY = { ...SEND, options: { maxTries: 1 } };
const onWire = () => own.requests.map(({ body }) => body.toId);

async function retries(workflow: WorkflowJson, run: IRun, count: number): Promise<IRun> {
	for (let retry = 0; retry < count; retry++) run = await own.engine.retry(workflow, run);
	return run;
}

describe('Retry On Fail', () => {
	const CASES = MODES.flatMap((onError) =>
		[1, 3].flatMap((number) =>
			(['rejected', 'notSent', 'lost'] as const).map((end) => ({ onError, number, end })),
		),
	);

	test.each(CASES)(
		'with $onError and customer $number $end sends nothing twice',
		async ({ onError, number, end }) => {
			answer(own, { [`customer-${number}`]: end });
			const workflow = workflowOf(recipients(5), ONE_TRY, retrying(3, onError));
			const { items, errorItems, error } = resultOf(await own.engine.run(workflow));

			const outcome = end === 'lost' ? 'unknown' : 'rejected';
			const stops = onError === 'stopWorkflow';
			// n8n runs the node again where it throws, and where its first output item is an error.
			const isRunAgain = outcome === 'rejected' && (stops || number === 1);
			const upTo = stops ? number : 5;
			expect(onWire()).toEqual([...toIds(upTo), ...(isRunAgain ? customers(number, number) : [])]);
			if (stops) {
				expect(error).toMatchObject({
					context: { itemIndex: number - 1 },
					errorResponse: { outcome },
				});
				return;
			}
			const ends = [...items, ...errorItems].map(({ json, pairedItem }) => [
				pairedItem,
				json.request_id ?? (json.error as unknown as Json).outcome,
			]);
			const isFailed = (index: number) => index === number - 1;
			const expected = toIds(5).map((toId, item) => [
				{ item },
				isFailed(item) ? outcome : `svc_${toId}`,
			]);
			expect(ends.toSorted()).toEqual(expected.toSorted());
		},
	);

	test('with Resend if Unknown sends what may have been sent', async () => {
		answer(own, { 'customer-2': 'lost' });
		const parameters = { ...SEND, options: { maxTries: 1, resendUnknown: true } };
		await own.engine.run(workflowOf(recipients(2), parameters, retrying(2)));
		expect(onWire()).toEqual(customers(1, 2, 2));
	});

	/** What else an `error` in a success may be, outcomes.test.ts tells. */
	test.each(MODES)('with %s sends what was sent with an `error` once', async (onError) => {
		own.answer = ({ body }, response) => {
			if (body.toId === 'customer-2') return void response.socket?.destroy();
			const isRefused = body.toId === 'customer-3';
			json(response, isRefused ? { code: 9 } : { ok: true, code: 0, error: '' });
		};
		await own.engine.run(workflowOf(recipients(4), SEND, retrying(3, onError)));
		const others = onWire().filter((toId) => toId !== 'customer-3');
		expect(others).toEqual(onError === 'stopWorkflow' ? customers(1, 2) : customers(1, 2, 4));
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

	test('nothing is sent twice, nor again what may have been sent', async () => {
		refuseOrLose('customer-3');
		const workflow = workflowOf(recipients(5), parameters, retrying(3));
		const refused = await retries(workflow, await own.engine.run(workflow), 2);
		expect(whose()).toEqual(customers(1, 2, ...all(9, 3)));
		refuseOrLose('nobody', 'customer-4');
		const lost = await retries(workflow, refused, 2);
		expect(whose().slice(11)).toEqual(customers(3, 4));
		expect(resultOf(lost).error).toMatchObject({ errorResponse: { outcome: 'unknown' } });
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

	test('in a Retry it stays sent, or unknown', async () => {
		const turn = turning();
		answer(own, { 'customer-2': 'lost' });
		const failed = await own.engine.run(workflowOf(recipients(3), parameters));
		turn();
		const goesOn = workflowOf(recipients(3), parameters, CONTINUE);
		const { items } = resultOf(await own.engine.retry(goesOn, failed));
		expect(endsOf(items.map(({ json }) => json))).toEqual(['sent', 'unknown', 'notSent']);
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
		expect(error?.message.match(/Not sent again: /g)).toHaveLength(1);
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

	test.each<[string, Json, Json, number]>([
		['all items fail', CHANGING_VIDEO, { toId: '={{ $json.noSuchField }}' }, 0],
		['an option fail', CHANGING_VIDEO, { options: { maxTries: 0 } }, 0],
		[
			'another item fail',
			CHANGING_VIDEO,
			{ toId: '={{ $json.toId === "customer-4" ? "" : $json.toId }}' },
			0,
		],
		['no difference to the message', SEND, { options: { requestInterval: 1 } }, 1],
		['the video look other', SEND, { feedVideo: JSON.stringify({ more: 1, ...VIDEO }) }, 1],
		['the same mean otherwise', SEND, { toId: '={{ ($json.toId) }}' }, 1],
		['the mode another', SEND, { ...FIELDS, username: VIDEO.username }, 1],
	])('after edits that made %s, taken back, sends nothing twice', async (_, as, edit, tries) => {
		answer(own, { 'customer-3': 'rejected' });
		const workflow = workflowOf(recipients(4), as);
		const failed = await own.engine.run(workflow);
		const edited = workflowOf(recipients(4), { ...as, ...edit });
		const failedAgain = await own.engine.retry(edited, failed);
		expect(onWire()).toEqual(customers(1, 2, 3, ...all(tries, 3)));
		answer(own, {});
		await own.engine.retry(workflow, failedAgain);
		expect(onWire()).toEqual(customers(1, 2, 3, ...all(tries, 3), 3, 4));
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
		own.engine.deduplicator = new DeduplicationStandIn();
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

	test('finds in its new place what may have been sent', async () => {
		answer(own, { 'customer-2': 'lost' });
		const workflow = workflowOf(recipients(3), SEND);
		const failed = await own.engine.run(workflow);
		const run = await own.engine.retry(workflow, withItems(failed, 2, 1, 3));
		expect(resultOf(run).error).toMatchObject({ context: { itemIndex: 0 } });
		await own.engine.retry(workflow, withItems(run, 9, 1, 2, 3));
		expect(onWire()).toEqual(customers(1, 2, 9));
	});
});

/** Puts other items in the place of those that the failed execution goes on with. */
function withItems(run: IRun, ...numbers: number[]): IRun {
	const [next] = run.data.executionData?.nodeExecutionStack ?? [];
	if (next) next.data.main = [customers(...numbers).map((toId) => ({ json: { toId } }))];
	return run;
}

describe.each([
	['the same from try to try', SEND],
	['that changes', CHANGING_VIDEO],
])('a Retry of content %s', (_, parameters) => {
	test.each<[string, number[], number[], number[]]>([
		['one inserted first', [1, 2, 3, 4], [9, 1, 2, 3, 4], [9, 3, 4]],
		['one inserted between', [1, 2, 3, 4], [1, 9, 2, 3], [9, 3]],
		['the first removed', [1, 2, 3, 4], [2, 3, 4], [3, 4]],
		['their order turned round', [1, 2, 3, 4], [4, 3, 2, 1], [4, 3]],
		['one of them twice', [1, 2, 3, 4], [1, 1, 2, 3], [1, 3]],
		['all of them others', [1, 2, 3, 4], [9, 9], [9, 9]],
		['one before equal ones', [1, 1, 1, 1], [9, 1, 1, 1, 1], [9, 1, 1]],
	])('with %s sends each item once', async (_name, items, changed, sent) => {
		own.answer = (_request, response) =>
			json(response, { code: own.requests.length === 3 ? 9 : 0 });
		const workflow = workflowOf(
			customers(...items).map((toId) => ({ toId })),
			parameters,
		);
		const failed = await own.engine.run(workflow);
		const run = await own.engine.retry(workflow, withItems(failed, ...changed));
		expect(onWire()).toEqual(customers(...items.slice(0, 3), ...sent));
		expect(resultOf(run).items).toHaveLength(changed.length);
	});

	test('with rows that move from Retry to Retry sends each item once', async () => {
		answer(own, { 'customer-3': 'rejected' });
		const workflow = workflowOf(recipients(4), parameters);
		let run = await own.engine.run(workflow);
		for (const order of [
			[3, 1, 2, 4],
			[2, 3, 1],
			[4, 3, 2, 1],
			[1, 2, 4],
		])
			run = await own.engine.retry(workflow, withItems(run, ...order));
		expect(run.status).toBe('success');
		expect(onWire()).toEqual(customers(1, 2, 3, 3, 3, 4, 3));
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

	test('is no more after Retries with other edits, and nothing after one that succeeds', async () => {
		answer(own, { 'customer-3': 'rejected' });
		const edited = (maxTries: number) =>
			workflowOf(recipients(4), { ...SEND, options: { maxTries } });
		const first = await own.engine.run(workflowOf(recipients(4), SEND));
		const kept = structuredClone(contextOf(first));
		const second = await own.engine.retry(edited(1), first);
		const third = await own.engine.retry(edited(2), second);
		expect(contextOf(third)).toEqual(kept);
		answer(own, {});
		expect(contextOf(await own.engine.retry(edited(1), third))).toEqual(EMPTY);
	});

	test.each<[string, NodeSettings]>([
		['Continue', CONTINUE],
		['Continue and Retry On Fail', retrying(2, 'continueRegularOutput')],
		['the error output and Retry On Fail', retrying(2, 'continueErrorOutput')],
	])('is no more after many rounds of a loop than after one, with %s', async (_, settings) => {
		own.answer = (_request, response) => void response.socket?.destroy();
		const workflow = looped(workflowOf(recipients(12), SEND, settings));
		// The loop goes on from the error output too.
		const outputs = workflow.connections.Workchat?.main ?? [];
		if (settings.onError === 'continueErrorOutput') outputs[1] = outputs[0] ?? [];
		const run = await own.engine.run(workflow);
		expect(onWire()).toEqual(toIds(12));
		expect(JSON.stringify(contextOf(run)).length).toBeLessThan(1500);
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
