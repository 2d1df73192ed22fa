import type { IDataObject, IRun } from 'n8n-workflow';

import { DeduplicationStandIn, MemoryRows } from '../dev/engine/deduplicationStandIn';
import { json, text, useOwnServer } from './ownServer';
import { looped, recipients, resultOf, SEND, VIDEO, workflowOf, type NodeSettings } from './setup';

const own = useOwnServer();
type Item = { toId: string };
const onWire = () => own.requests.map(({ body }) => body.toId);
const toIds = (count: number) => recipients(count).map(({ toId }) => toId);

const MODES = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const;
const retrying = (
	maxTries: number,
	onError: NodeSettings['onError'] = 'stopWorkflow',
): NodeSettings => ({ retryOnFail: true, maxTries, waitBetweenTries: 1, onError });

describe('an `error` in the answer to a message that was sent', () => {
	const VALUES = ['""', '0', 'null', 'false', 'true', '"none"', '[]', '{}', '{"message":"none"}'];
	const CASES = MODES.flatMap((onError) =>
		[false, true].flatMap((simplify) =>
			VALUES.map((value, index) => ({ onError, simplify, value, tries: 2 + (index % 4) })),
		),
	);

	test.each(CASES)(
		'$value with $onError, $tries tries, Simplify $simplify: sent once, and a success',
		async ({ onError, simplify, value, tries }) => {
			const [before, after] = simplify ? ['"data":{"id":1,', '}'] : ['', ''];
			own.answer = (_, response) =>
				text(
					response,
					`{"ok":true,"code":0,"request_id":"svc_1",${before}"error":${value}${after}}`,
				);
			const workflow = workflowOf(recipients(3), { ...SEND, simplify }, retrying(tries, onError));
			const run = await own.engine.run(workflow);
			expect(onWire()).toEqual(toIds(3));
			expect(run.status).toBe('success');
			expect(resultOf(run).items).toHaveLength(3);
			expect(resultOf(run).errorItems).toHaveLength(0);
		},
	);

	test.each(MODES)('is kept while another item fails, with %s', async (onError) => {
		own.answer = ({ body }, response) =>
			body.toId === 'customer-3'
				? json(response, { ok: false, code: 9, message: 'no' })
				: json(response, { ok: true, code: 0, error: '' });
		await own.engine.run(workflowOf(recipients(4), SEND, retrying(3, onError)));
		const others = onWire().filter((toId) => toId !== 'customer-3');
		const sent = ['customer-1', 'customer-2', 'customer-4'];
		expect(others).toEqual(onError === 'stopWorkflow' ? sent.slice(0, 2) : sent);
	});

	test.each(MODES)('sends nothing twice in a loop, with %s', async (onError) => {
		own.answer = (_, response) => json(response, { ok: true, code: 0, error: 0 });
		const run = await own.engine.run(looped(workflowOf(recipients(4), SEND, retrying(3, onError))));
		expect(run.data.resultData.runData.Workchat).toHaveLength(4);
		expect(onWire()).toEqual(toIds(4));
	});

	test('sends nothing twice that may have been sent, either', async () => {
		own.answer = ({ body }, response) =>
			body.toId === 'customer-1'
				? json(response, { ok: true, code: 0, error: '' })
				: void response.socket?.destroy();
		const settings = retrying(4, 'continueRegularOutput');
		await own.engine.run(workflowOf(recipients(3), SEND, settings));
		expect(onWire()).toEqual(toIds(3));
	});
});

/** Expressions that come out differently from try to try, as `$now` and `Math.random()` do. */
const CHANGING = '{{ Math.random() }}';
const video = (more: string) =>
	`={{ ({ ...${JSON.stringify(VIDEO)}, username: $json.toId, ${more} }) }}`;
const FIELDS = { ...SEND, specifyFeedVideo: 'fields', ...VIDEO, username: '={{ $json.toId }}' };
/** Of every request, whose message it is, whatever became of the other fields. */
const whose = () => own.requests.map(({ body }) => body.username);

const CHANGING_PARAMETERS: Record<string, Record<string, unknown>> = {
	'Recipient ID': { ...FIELDS, toId: `={{ $json.toId }}-${CHANGING}` },
	'Instance GUID': { ...FIELDS, instanceGuid: `=${CHANGING}` },
	'Encode Data': { ...FIELDS, encodeData: '={{ $now.toISO() }}' },
	'Cover URL': { ...FIELDS, coverUrl: `=https://example.com/?${CHANGING}` },
	'Feed No': { ...FIELDS, feedNo: '={{ $now.toMillis() }}' },
	'every field': Object.fromEntries(
		Object.entries(FIELDS).map(([name, value]) =>
			name in VIDEO && name !== 'username' ? [name, `=${value}?${CHANGING}`] : [name, value],
		),
	),
	'JSON of the video': { ...SEND, feedVideo: video('feedNo: Math.random()') },
	'JSON of the video, as text': {
		...SEND,
		feedVideo: `={{ JSON.stringify({ ...${JSON.stringify(VIDEO)}, username: $json.toId, feedNo: Math.random() }) }}`,
	},
	'an option': {
		...FIELDS,
		options: { maxTries: 1, timeout: '={{ 20000 + 9999 * Math.random() }}' },
	},
	Simplify: { ...FIELDS, simplify: '={{ Math.random() < 0.5 }}' },
};

describe.each(Object.entries(CHANGING_PARAMETERS))(
	'with %s that changes from try to try',
	(_, parameters) => {
		const refuse = (toId: string) => {
			own.answer = ({ body }, response) =>
				body.username === toId
					? json(response, { ok: false, code: 9, message: 'no' })
					: json(response, { ok: true, code: 0, request_id: `svc_${String(body.username)}` });
		};
		const lose = (toId: string) => {
			own.answer = ({ body }, response) =>
				body.username === toId
					? void response.socket?.destroy()
					: json(response, { ok: true, code: 0 });
		};

		test.each([2, 3, 5])('Retry On Fail with %d tries sends nothing twice', async (tries) => {
			refuse('customer-3');
			await own.engine.run(workflowOf(recipients(4), parameters, retrying(tries)));
			expect(whose().filter((toId) => toId !== 'customer-3')).toEqual(['customer-1', 'customer-2']);
			expect(whose()).toHaveLength(2 + tries);
		});

		test('Retry On Fail does not repeat what may have been sent', async () => {
			lose('customer-2');
			const run = await own.engine.run(workflowOf(recipients(3), parameters, retrying(5)));
			expect(whose()).toEqual(['customer-1', 'customer-2']);
			expect(resultOf(run).error).toMatchObject({ errorResponse: { outcome: 'unknown' } });
		});

		test('four Retries from the list, the first failing again, send nothing twice', async () => {
			refuse('customer-3');
			const workflow = workflowOf(recipients(4), parameters);
			let run = await own.engine.run(workflow);
			for (let retries = 0; retries < 3; retries++) run = await own.engine.retry(workflow, run);
			expect(whose()).toEqual([
				'customer-1',
				'customer-2',
				'customer-3',
				'customer-3',
				'customer-3',
				'customer-3',
			]);
			own.answer = (_request, response) => json(response, { ok: true, code: 0 });
			run = await own.engine.retry(workflow, run);
			expect(run.status).toBe('success');
			expect(whose().slice(6)).toEqual(['customer-3', 'customer-4']);
			expect(resultOf(run).items).toHaveLength(4);
		});

		test('Retry On Fail inside a Retry sends nothing twice', async () => {
			refuse('customer-3');
			const workflow = workflowOf(recipients(4), parameters, retrying(3));
			const run = await own.engine.retry(workflow, await own.engine.run(workflow));
			expect(run.status).toBe('error');
			expect(whose()).toHaveLength(2 + 3 + 3);
			expect(new Set(whose().slice(2))).toEqual(new Set(['customer-3']));
		});

		test('a Retry does not repeat what may have been sent', async () => {
			lose('customer-2');
			const workflow = workflowOf(recipients(3), parameters);
			let run = await own.engine.run(workflow);
			for (let retries = 0; retries < 2; retries++) run = await own.engine.retry(workflow, run);
			expect(whose()).toEqual(['customer-1', 'customer-2']);
			expect(resultOf(run).error).toMatchObject({ errorResponse: { outcome: 'unknown' } });
		});
	},
);

/** Expressions with `Math.random()` come out one way until it is called, and another way afterwards. */
function turning() {
	let isTurned = false;
	jest.spyOn(Math, 'random').mockImplementation(() => (isTurned ? 0.9 : 0.1));
	return () => void (isTurned = true);
}
afterEach(() => jest.restoreAllMocks());

describe('an expression that finds nothing, or fails, once a message was sent', () => {
	const LATER: Record<string, Record<string, unknown>> = {
		'Recipient ID comes out empty': { toId: '={{ Math.random() < 0.5 ? $json.toId : "" }}' },
		'Recipient ID fails': { toId: '={{ Math.random() < 0.5 ? $json.toId : $json.no.such.field }}' },
		'Instance GUID comes out empty': {
			instanceGuid: '={{ Math.random() < 0.5 ? "instance" : "" }}',
		},
		'the JSON comes out as text': {
			feedVideo: `={{ Math.random() < 0.5 ? ${SEND.feedVideo} : "none" }}`,
		},
		'a URL comes out wrong': {
			...FIELDS,
			coverUrl: '={{ Math.random() < 0.5 ? "https://example.com/" : "ftp://example.com/" }}',
		},
		'an option of the item comes out wrong': {
			options: { maxTries: 1, timeout: '={{ Math.random() < 0.5 ? 9999 : -1 }}' },
		},
		'an option of the run comes out wrong': {
			options: { maxTries: '={{ Math.random() < 0.5 ? 1 : "many" }}' },
		},
	};
	const TO_THREE = recipients(3);

	test.each(Object.entries(LATER))('%s: in Retry On Fail it stays sent', async (_, more) => {
		const turn = turning();
		own.answer = ({ body }, response) => {
			if (body.toId !== 'customer-1')
				return json(response, { ok: true, code: 0, request_id: 'svc_2' });
			// The service's own `error` makes n8n run the node again.
			json(response, { ok: true, code: 0, error: 'x' });
			turn();
		};
		const settings = retrying(2, 'continueRegularOutput');
		const workflow = workflowOf(TO_THREE, { ...SEND, ...more }, settings);
		const { items } = resultOf(await own.engine.run(workflow));
		expect(items[0]?.json).toMatchObject({ ok: true, code: 0 });
		expect(onWire().filter((toId) => toId === 'customer-1')).toHaveLength(1);
	});

	test.each(Object.entries(LATER))('%s: in a Retry it stays sent, or unknown', async (_, more) => {
		const turn = turning();
		own.answer = ({ body }, response) => {
			if (body.toId === 'customer-1')
				return json(response, { ok: true, code: 0, request_id: 'svc_1' });
			response.socket?.destroy();
		};
		const workflow = workflowOf(TO_THREE, { ...SEND, ...more });
		const failed = await own.engine.run(workflow);
		turn();
		const goesOn = workflowOf(TO_THREE, { ...SEND, ...more }, { onError: 'continueRegularOutput' });
		const { items } = resultOf(await own.engine.retry(goesOn, failed));
		expect(items[0]?.json).toMatchObject({ ok: true, code: 0 });
		expect(items[1]?.json).toMatchObject({ error: { outcome: 'unknown' } });
		expect(items[2]?.json).toMatchObject({ error: { outcome: 'notSent' } });
		expect(onWire()).toEqual(['customer-1', 'customer-2']);
	});

	test.each(Object.entries(LATER))(
		'%s: with Resend if Unknown it stays unknown',
		async (_, more) => {
			const turn = turning();
			own.answer = (_request, response) => void response.socket?.destroy();
			const parameters = { ...SEND, ...more };
			const options = {
				maxTries: 1,
				resendUnknown: true,
				...(more as { options?: object }).options,
			};
			const workflow = workflowOf(recipients(1), { ...parameters, options });
			const failed = await own.engine.run(workflow);
			turn();
			const { error } = resultOf(await own.engine.retry(workflow, failed));
			expect(error).toMatchObject({ errorResponse: { outcome: 'unknown' } });
			expect(onWire()).toHaveLength(1);
		},
	);
});

/** Puts other items in the place of those that the failed execution goes on with. */
const withItems = (run: IRun, items: object[]): IRun => {
	const [next] = run.data.executionData?.nodeExecutionStack ?? [];
	if (next) next.data.main = [items.map((item) => ({ json: { ...item } as IDataObject }))];
	return run;
};

describe('a Retry after edits', () => {
	const CHANGING_VIDEO = { ...SEND, feedVideo: video('feedNo: Math.random()') };
	const refuse = (toId: string) => {
		own.answer = ({ body }, response) =>
			body.toId === toId
				? json(response, { ok: false, code: 9, message: 'no' })
				: json(response, { ok: true, code: 0, request_id: `svc_${String(body.toId)}` });
	};
	const [first, second, third, fourth] = recipients(4) as [Item, Item, Item, Item];
	const another = { toId: 'another' };

	test('that were wrong and are taken back sends nothing twice', async () => {
		refuse('customer-3');
		const workflow = workflowOf(recipients(4), CHANGING_VIDEO);
		const wrong = workflowOf(recipients(4), {
			...CHANGING_VIDEO,
			toId: '={{ $json.noSuchField }}',
		});
		const failed = await own.engine.run(workflow);
		const failedAgain = await own.engine.retry(wrong, failed);
		expect(resultOf(failedAgain).error?.message).toMatch(/Recipient ID/);
		const wrongOption = { ...CHANGING_VIDEO, options: { maxTries: 0 } };
		const andAgain = await own.engine.retry(workflowOf(recipients(4), wrongOption), failedAgain);
		expect(resultOf(andAgain).error?.message).toMatch(/Max Tries/);
		own.answer = (_, response) => json(response, { ok: true, code: 0 });
		const done = await own.engine.retry(workflow, andAgain);
		expect(done.status).toBe('success');
		expect(onWire()).toEqual([
			'customer-1',
			'customer-2',
			'customer-3',
			'customer-3',
			'customer-4',
		]);
	});

	test('of one item that make another fail before the sending, taken back, sends nothing twice', async () => {
		refuse('customer-3');
		const workflow = workflowOf(recipients(4), CHANGING_VIDEO);
		const wrong = {
			...CHANGING_VIDEO,
			toId: '={{ $json.toId === "customer-4" ? "" : $json.toId }}',
		};
		const failed = await own.engine.run(workflow);
		const failedAgain = await own.engine.retry(workflowOf(recipients(4), wrong), failed);
		expect(resultOf(failedAgain).error?.message).toMatch(/Recipient ID/);
		await own.engine.retry(workflow, failedAgain);
		expect(onWire()).toEqual(['customer-1', 'customer-2', 'customer-3', 'customer-3']);
	});

	test.each<[string, object]>([
		['of Max Tries', { options: { maxTries: 2 } }],
		['of Request Interval', { options: { requestInterval: 1 } }],
		['of how the video is written', { feedVideo: JSON.stringify({ more: 1, ...VIDEO }) }],
		['that mean the same', { toId: '={{ ($json.toId) }}' }],
		['of the name of the mode', { ...FIELDS, username: VIDEO.username }],
	])('%s sends nothing twice', async (_, more) => {
		refuse('customer-3');
		const failed = await own.engine.run(workflowOf(recipients(4), SEND));
		const edited = workflowOf(recipients(4), { ...SEND, ...more });
		const failedAgain = await own.engine.retry(edited, failed);
		await own.engine.retry(workflowOf(recipients(4), SEND), failedAgain);
		expect(onWire()).toEqual([
			'customer-1',
			'customer-2',
			'customer-3',
			'customer-3',
			'customer-3',
		]);
	});

	test.each<[string, object]>([
		['of Resend if Unknown', { options: { resendUnknown: true } }],
		['of Timeout', { options: { timeout: 60_000 } }],
		['of Send Once Key', { options: { sendOnceKey: 'spring' } }],
		['of Simplify', { simplify: true }],
		['of what stands there by default', { resource: 'message', options: {} }],
		['of what another way to give the fields has', { channelName: 'left from before' }],
	])('%s keeps what is sent, though $now stands in the video', async (_, more) => {
		own.answer = ({ body }, response) =>
			body.toId === 'customer-3'
				? void response.socket?.destroy()
				: json(response, { ok: true, code: 0 });
		const failed = await own.engine.run(workflowOf(recipients(4), CHANGING_VIDEO));
		const sent = onWire();
		own.answer = (_request, response) => json(response, { ok: true, code: 0 });
		own.engine.deduplicator = new DeduplicationStandIn(new MemoryRows());
		const edited = { ...CHANGING_VIDEO, ...more };
		await own.engine.retry(workflowOf(recipients(4), edited), failed);
		own.engine.deduplicator = undefined;
		const isResent = 'options' in more && 'resendUnknown' in (more.options as object);
		expect(sent).toEqual(['customer-1', 'customer-2', 'customer-3']);
		expect(onWire().slice(3)).toEqual(isResent ? ['customer-3', 'customer-4'] : []);
	});

	test('of Simplify gives the stored results, and sends nothing twice', async () => {
		refuse('customer-2');
		const failed = await own.engine.run(workflowOf(recipients(2), SEND));
		own.answer = (_, response) => json(response, { ok: true, code: 0, data: { id: 2 } });
		const simplified = workflowOf(recipients(2), { ...SEND, simplify: true });
		const { items } = resultOf(await own.engine.retry(simplified, failed));
		expect(items.map(({ json: item }) => item)).toEqual([
			{ ok: true, code: 0, request_id: 'svc_customer-1' },
			{ id: 2 },
		]);
		expect(onWire()).toEqual(['customer-1', 'customer-2', 'customer-2']);
	});

	test.each<[string, Item[], string[]]>([
		[
			'one inserted first',
			[another, first, second, third, fourth],
			['another', 'customer-3', 'customer-4'],
		],
		['one inserted between', [first, another, second, third], ['another', 'customer-3']],
		['the first removed', [second, third, fourth], ['customer-3', 'customer-4']],
		['the sent ones removed', [third, fourth], ['customer-3', 'customer-4']],
		['their order turned round', [fourth, third, second, first], ['customer-4', 'customer-3']],
		['two changed places', [second, first, third], ['customer-3']],
		['one of them twice', [first, first, second, third], ['customer-1', 'customer-3']],
		['all of them others', [another, another], ['another', 'another']],
	])('with %s sends each item once', async (_, items, sent) => {
		refuse('customer-3');
		const workflow = workflowOf(recipients(4), SEND);
		const failed = await own.engine.run(workflow);
		own.requests.length = 0;
		own.answer = (_request, response) =>
			json(response, { ok: true, code: 0, request_id: 'svc_new' });
		const run = await own.engine.retry(workflow, withItems(failed, items));
		expect(run.status).toBe('success');
		expect(onWire()).toEqual(sent);
		expect(resultOf(run).items).toHaveLength(items.length);
	});

	test('with rows that move from Retry to Retry sends each item once', async () => {
		refuse('customer-3');
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
		const sent = onWire().filter((toId) => toId !== 'customer-3');
		expect(sent).toEqual(['customer-1', 'customer-2', 'customer-4']);
	});

	test('duplicates in the list are one message each', async () => {
		const same = [first, first, first, third];
		refuse('customer-3');
		const workflow = workflowOf(same, CHANGING_VIDEO);
		const failed = await own.engine.run(workflow);
		expect(onWire()).toEqual(['customer-1', 'customer-1', 'customer-1', 'customer-3']);
		const again = await own.engine.retry(workflow, failed);
		expect(onWire().slice(4)).toEqual(['customer-3']);
		await own.engine.retry(workflow, withItems(again, [first, first, first, first]));
		expect(onWire().slice(5)).toEqual(['customer-1']);
	});

	test('duplicates of which some were sent are sent as often as is left', async () => {
		let left = 2;
		own.answer = (_, response) =>
			left-- > 0
				? json(response, { ok: true, code: 0 })
				: json(response, { ok: false, code: 9, message: 'no' });
		const workflow = workflowOf([first, first, first, first], SEND);
		const failed = await own.engine.run(workflow);
		left = 9;
		const inserted = [another, first, first, first, first];
		await own.engine.retry(workflow, withItems(failed, inserted));
		expect(onWire().slice(3)).toEqual(['another', 'customer-1', 'customer-1']);
	});

	test('what may have been sent is found in its new place too', async () => {
		own.answer = ({ body }, response) =>
			body.toId === 'customer-2'
				? void response.socket?.destroy()
				: json(response, { ok: true, code: 0 });
		const workflow = workflowOf(recipients(3), SEND);
		const failed = await own.engine.run(workflow);
		const run = await own.engine.retry(workflow, withItems(failed, [second, first, third]));
		expect(resultOf(run).error).toMatchObject({ context: { itemIndex: 0 } });
		await own.engine.retry(workflow, withItems(run, [another, first, second, third]));
		expect(onWire()).toEqual(['customer-1', 'customer-2', 'another']);
	});
});

test('an input item with a circle in it does not hinder the sending', async () => {
	own.answer = (_, response) => json(response, { ok: false, code: 9, message: 'no' });
	const workflow = workflowOf(recipients(2), SEND);
	const failed = await own.engine.run(workflow);
	own.answer = (_, response) => json(response, { ok: true, code: 0 });
	const circles = recipients(2).map((item): object => Object.assign(item, { self: item }));
	const run = await own.engine.retry(workflow, withItems(failed, circles));
	expect(resultOf(run).error).toBeUndefined();
	expect(onWire()).toEqual(['customer-1', 'customer-1', 'customer-2']);
});
