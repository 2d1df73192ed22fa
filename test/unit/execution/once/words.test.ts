import type { ServerResponse } from 'node:http';

import type { IRun } from 'n8n-workflow';

import { sentSoFar, type Repeaters } from '../../../../nodes/Workchat/execution/once/words';
import { CONTINUE, retrying, toIds } from '../../../support/messages';
import { answer, json, useOwnServer, type End } from '../../../support/ownServer';
import {
	DOWNLOAD,
	looped,
	recipients,
	resultOf,
	SEND,
	workflowOf,
	type NodeSettings,
} from '../../../support/setup';

const own = useOwnServer();
const SAFE_ONES =
	'Retry On Fail, and Retry in the list of executions, do not send these again; Execute Workflow does.';
const NONE = {
	hasKeys: false,
	isUnrecorded: false,
	isSubWorkflow: false,
	isLaterRun: false,
	resends: false,
};

const descriptionOf = (run: IRun) => resultOf(run).error?.description ?? '';

describe('how many were sent, where the run stops', () => {
	const NOBODY = /Nothing was sent to anyone \(0 of 5\)\.$/;
	const ALL_LOST = Object.fromEntries(toIds(5).map((toId) => [toId, 'lost' as End]));

	test.each<[string, Record<string, End>, Record<'sent' | 'unknown', number>]>([
		['all are refused', { else: 'rejected' }, { sent: 0, unknown: 0 }],
		['the last is refused', { 'customer-5': 'rejected' }, { sent: 4, unknown: 0 }],
		['the first is lost', { 'customer-1': 'lost', else: 'rejected' }, { sent: 0, unknown: 1 }],
		['all are lost', ALL_LOST, { sent: 0, unknown: 5 }],
		[
			'some are lost, and some refused',
			{ 'customer-1': 'rejected', 'customer-2': 'lost', 'customer-4': 'lost' },
			{ sent: 2, unknown: 2 },
		],
	])('as %s', async (_, how, counts) => {
		answer(own, how);
		const parameters = { ...SEND, options: { maxConcurrency: 5 } };
		const description = descriptionOf(await own.engine.run(workflowOf(recipients(5), parameters)));
		expect(description).toContain(` ${sentSoFar({ ...counts, untried: 0 }, 5, NONE)}`);
	});

	test.each<[string, object, object?]>([
		['a value is missing', { toId: '={{ $json.toId === "customer-4" ? "" : $json.toId }}' }],
		['an option is wrong', { options: { maxTries: 0 } }],
		['an option of one item is wrong', { options: { timeout: '={{ $itemIndex - 1 }}' } }],
		['an expression fails', { toId: '={{ $("No such node").first().json.toId }}' }],
		[
			'an option has an expression that fails',
			{ options: { maxTries: '={{ $("No such node").first().json.tries }}' } },
		],
		['the credential has no key', {}, { apiKey: '' }],
		['the credential has no address', {}, { baseUrl: '' }],
	])('as %s: nothing', async (_, more, credential = {}) => {
		Object.assign(own.credential, credential);
		const run = await own.engine.run(workflowOf(recipients(5), { ...SEND, ...more }));
		expect(descriptionOf(run)).toMatch(NOBODY);
		expect(own.requests).toHaveLength(0);
	});

	test('as several are wrong: the error of the first names the others', async () => {
		const items = ['customer-1', '', '', ''].map((toId) => ({ toId }));
		const { error } = resultOf(await own.engine.run(workflowOf(items, SEND)));
		expect(error?.context?.itemIndex).toBe(1);
		expect(error?.description).toMatch(
			/This is about item 1; n8n counts items from 0\. Also failed: items 2, 3\. Nothing was sent to anyone \(0 of 4\)\.$/,
		);
	});

	test.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
		'as an option is wrong, with %s: no item passes for sent',
		async (onError) => {
			const parameters = { ...SEND, options: { maxTries: '={{ "many" }}' } };
			const run = await own.engine.run(workflowOf(recipients(2), parameters, { onError }));
			const { items, errorItems } = resultOf(run);
			const error = expect.objectContaining({ outcome: 'notSent' }) as object;
			expect([...items, ...errorItems].map(({ json }) => json.error)).toEqual([error, error]);
			expect(onError === 'continueErrorOutput' ? items : errorItems).toHaveLength(0);
			expect(own.requests).toHaveLength(0);
		},
	);

	describe('in a Retry', () => {
		test('what was lost before counts, whether its turn came or not', async () => {
			answer(own, { 'customer-1': 'rejected', 'customer-4': 'lost' });
			const parameters = { ...SEND, options: { maxConcurrency: 5 } };
			const failed = await own.engine.run(workflowOf(recipients(5), parameters));
			const run = await own.engine.retry(workflowOf(recipients(5), SEND), failed);
			for (const one of [failed, run])
				expect(descriptionOf(one)).toContain(' 3 of 5 items were sent, and 1 may have been. Retry');
		});

		const without = (number: number) => ({
			toId: `={{ $json.toId === "customer-${number}" ? "" : $json.toId }}`,
		});
		test.each<[string, object, number, string]>([
			[
				'wrong for one that was not sent',
				without(5),
				4,
				'2 of 5 items were sent; 2 were not tried. Retry',
			],
			[
				'wrong for one that was sent',
				without(1),
				0,
				'2 of 5 items were sent; 3 were not tried. Retry',
			],
			['wrong for all', { toId: '={{ "" }}' }, 0, '2 of 5 items were sent. Retry'],
			['wrong in an option', { options: { maxTries: 'many' } }, 2, '2 of 5 items were sent. Retry'],
			['those of others', { toId: 'other' }, 0, 'Nothing was sent to anyone (0 of 5).'],
		])('with parameters that are %s by now', async (_, more, itemIndex, says) => {
			answer(own, { 'customer-3': 'rejected', other: 'rejected' });
			const failed = await own.engine.run(workflowOf(recipients(5), SEND));
			const run = await own.engine.retry(workflowOf(recipients(5), { ...SEND, ...more }), failed);
			expect(resultOf(run).error).toMatchObject({ context: { itemIndex } });
			expect(descriptionOf(run)).toContain(` ${says}`);
		});
	});

	test('in a loop, earlier rounds are not called nothing', async () => {
		answer(own, { 'customer-3': 'rejected' });
		const run = await own.engine.run(looped(workflowOf(recipients(5), SEND)));
		expect(own.requests).toHaveLength(3);
		expect(descriptionOf(run)).not.toMatch(/to anyone/);
		expect(descriptionOf(run)).toMatch(/0 of 1.*[Ee]arlier runs of this node/);
	});
});

describe('who sends again', () => {
	const ROUNDS = ' Earlier runs of this node do not count here.';
	const WITH_KEY =
		'Whatever runs this again, their Send Once Key keeps these from being sent again.';
	const PARENT =
		'Retry of this execution does not send these again; Retry of the parent execution does, and so does Retry On Fail of the node that runs this workflow.';

	test.each<[number, number, Partial<Repeaters>, string]>([
		[0, 0, {}, 'Nothing was sent to anyone (0 of 3).'],
		[0, 0, { hasKeys: true }, '0 of 3 items were sent.'],
		[0, 0, { isUnrecorded: true }, '0 of 3 items were sent.'],
		[0, 0, { isSubWorkflow: true }, '0 of 3 items were sent.'],
		[0, 0, { isLaterRun: true }, `0 of 3 items were sent.${ROUNDS}`],
		[0, 1, {}, 'None of 3 items is known to have been sent, and 1 may have been.'],
		[2, 0, {}, `2 of 3 items were sent. ${SAFE_ONES}`],
		[2, 1, {}, `2 of 3 items were sent, and 1 may have been. ${SAFE_ONES}`],
		[2, 0, { isLaterRun: true }, `2 of 3 items were sent. ${SAFE_ONES}${ROUNDS}`],
		[2, 0, { isSubWorkflow: true }, `2 of 3 items were sent. ${PARENT}`],
		[2, 0, { hasKeys: true, isSubWorkflow: true }, `2 of 3 items were sent. ${WITH_KEY}`],
	])('where %d of 3 were sent, and %d may have been: %j', (sent, unknown, repeaters, words) => {
		expect(sentSoFar({ sent, unknown, untried: 0 }, 3, { ...NONE, ...repeaters })).toBe(words);
	});

	const GO_ON =
		"To send those that were not tried, set 'On Error' to 'Continue', save, and choose 'Retry with currently saved workflow' for this execution in the list.";
	test.each<[number, number, number, boolean, string]>([
		[0, 0, 2, false, 'Nothing was sent to anyone (0 of 3).'],
		[1, 0, 1, false, `1 of 3 items were sent; 1 was not tried. ${SAFE_ONES}`],
		[
			0,
			1,
			2,
			false,
			`None of 3 items is known to have been sent, and 1 may have been; 2 were not tried. ${GO_ON}`,
		],
		[
			1,
			1,
			1,
			false,
			`1 of 3 items were sent, and 1 may have been; 1 was not tried. ${SAFE_ONES} ${GO_ON}`,
		],
		[
			1,
			1,
			1,
			true,
			`1 of 3 items were sent, and 1 may have been; 1 was not tried. ${WITH_KEY} Execute the workflow again to send those that were not tried.`,
		],
	])(
		'where %d of 3 were sent, %d may have been, and %d were not tried, with a key: %j',
		(...all) => {
			const [sent, unknown, untried, hasKeys, words] = all;
			expect(sentSoFar({ sent, unknown, untried }, 3, { ...NONE, hasKeys })).toBe(words);
		},
	);

	test('with Resend if Unknown, what may have been sent is sent again, and the error says so', async () => {
		answer(own, { 'customer-2': 'lost' });
		const workflow = workflowOf(recipients(3), { ...SEND, options: { resendUnknown: true } });
		const failed = await own.engine.run(workflow);
		const again = await own.engine.retry(workflow, failed);
		expect(own.requests.filter(({ body }) => body.toId === 'customer-2').length).toBeGreaterThan(1);
		for (const run of [failed, again]) {
			expect(descriptionOf(run)).toMatch(/also sends again what may have been sent\.$/);
		}
	});

	test('those that were not tried after a lost answer are sent in the way that the error names', async () => {
		answer(own, { 'customer-2': 'lost' });
		const failed = await own.engine.run(workflowOf(recipients(5), SEND));
		expect(descriptionOf(failed)).toMatch(/1 may have been; 3 were not tried\./);
		const done = await own.engine.retry(workflowOf(recipients(5), SEND, CONTINUE), failed);
		expect(resultOf(done).items).toHaveLength(5);
		expect(own.requests.map(({ body }) => body.toId)).toEqual(toIds(5));
	});

	test('as n8n tells it where another workflow runs this one, and with a key', async () => {
		answer(own, { 'customer-3': 'rejected' });
		const run = await own.engine.begin(workflowOf(recipients(3), SEND), 'integrated').finished;
		expect(descriptionOf(run)).toContain(`2 of 3 items were sent. ${PARENT}`);
		const toId = '={{ $json.toId === "customer-2" ? "" : $json.toId }}';
		const keyed = { ...SEND, toId, options: { sendOnceKey: 'spring' } };
		const wrong = await own.engine.run(workflowOf(recipients(3), keyed));
		expect(descriptionOf(wrong)).toMatch(/ 0 of 3 items were sent\.$/);
	});
});

test('a download that fails speaks of no sending', async () => {
	own.answer = (_, response) => json(response, { ok: false, code: 9, message: 'no' });
	const file = {
		fileAeskey: 'a',
		fileAuthkey: 'b',
		fileSize: 1,
		fileType: 1,
		fileUrl: 'https://example.com/',
	};
	for (const [items, more] of [
		[[file, file], {}],
		[[file, {}], {}],
		[[file, file], { options: { maxTries: 0 } }],
	] as Array<[object[], object]>) {
		const run = await own.engine.run(workflowOf(items as [], { ...DOWNLOAD, ...more }));
		expect(run.status).toBe('error');
		expect(`${resultOf(run).error?.message} ${descriptionOf(run)}`).not.toMatch(/\bsent\b/);
	}
});

test.each<[string, (response: ServerResponse) => unknown, string[]]>([
	['lost', (response) => response.socket?.destroy(), []],
	[
		'broken',
		(response) => json(response, { code: 5, request_id: 'svc_5' }, 500),
		['code', 'httpStatus', 'request_id'],
	],
])('a failure that is recalled shows nothing but its facts: %s', async (_, end, details) => {
	own.answer = (_request, response) => void end(response);
	const recalled = async (onError: NodeSettings['onError']) =>
		resultOf(await own.engine.run(workflowOf(recipients(1), SEND, retrying(2, onError))));
	const [item] = (await recalled('continueRegularOutput')).items;
	expect(Object.keys(item?.json ?? {})).toEqual(['error']);
	expect(Object.keys(item?.json.error as object).sort()).toEqual(
		['message', 'description', 'outcome', 'toId', 'tried', ...details].sort(),
	);
	const { error } = await recalled('stopWorkflow');
	const { errorResponse } = error as unknown as { errorResponse: object };
	expect(Object.keys(errorResponse).sort()).toEqual(['outcome', 'toId', ...details].sort());
	expect(JSON.stringify(error)).not.toMatch(/"(happened|advice|origin)"/);
	expect(own.requests).toHaveLength(2);
});
