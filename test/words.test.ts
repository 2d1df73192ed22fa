import type { IRun } from 'n8n-workflow';

import { sentSoFar, type Repeaters } from '../nodes/Workchat/execution/once/words';
import { CONTINUE, retrying } from './messages';
import { answer, json, useOwnServer, type End } from './ownServer';
import {
	DOWNLOAD,
	looped,
	recipients,
	resultOf,
	SEND,
	workflowOf,
	type NodeSettings,
} from './setup';
import { thoroughly } from './thorough';

const own = useOwnServer();
const SAFE_ONES =
	'Retry On Fail, and Retry in the list of executions, do not send these again; Execute Workflow does.';

const descriptionOf = (run: IRun) => resultOf(run).error?.description ?? '';

describe('how many were sent, where the run stops', () => {
	const NOBODY = /Nothing was sent to anyone \(0 of 5\)\.$/;
	const NONE_KNOWN = (lost: number) =>
		new RegExp(`None of 5 items is known to have been sent, and ${lost} may have been\\.$`);
	const ALL_LOST = Object.fromEntries(recipients(5).map(({ toId }) => [toId, 'lost' as End]));

	test.each<[string, number, Record<string, End>, RegExp]>([
		['the first is refused', 1, { 'customer-1': 'rejected' }, NOBODY],
		['the third is refused', 1, { 'customer-3': 'rejected' }, /\b2 of 5 items were sent\. Retry/],
		['the last is refused', 1, { 'customer-5': 'rejected' }, /\b4 of 5 items were sent\. Retry/],
		['the first is lost', 1, { 'customer-1': 'lost' }, NONE_KNOWN(1)],
		['the third is lost', 1, { 'customer-3': 'lost' }, /\b2 of 5.*, and 1 may have been\. Retry/],
		['all are lost at the same time', 5, ALL_LOST, NONE_KNOWN(5)],
		[
			'some are lost, and some refused',
			5,
			{ 'customer-1': 'rejected', 'customer-2': 'lost', 'customer-4': 'lost' },
			/\b2 of 5 items were sent, and 2 may have been\. Retry/,
		],
	])('as %s', async (_, maxConcurrency, how, says) => {
		answer(own, how);
		const parameters = { ...SEND, options: { maxConcurrency } };
		const description = descriptionOf(await own.engine.run(workflowOf(recipients(5), parameters)));
		expect(description).toMatch(says);
		if (/items were sent/.test(description)) expect(description).toContain(SAFE_ONES);
		else expect(description).not.toContain('Retry');
	});

	test.each<[string, object]>([
		['a value is missing', { toId: '={{ $json.toId === "customer-4" ? "" : $json.toId }}' }],
		['an option is wrong', { options: { maxTries: 0 } }],
		['an option of one item is wrong', { options: { timeout: '={{ $itemIndex - 1 }}' } }],
		['an expression fails', { toId: '={{ $("No such node").first().json.toId }}' }],
		[
			'an option has an expression that fails',
			{ options: { maxTries: '={{ $("No such node").first().json.tries }}' } },
		],
	])('as %s: nothing', async (_, more) => {
		const run = await own.engine.run(workflowOf(recipients(5), { ...SEND, ...more }));
		expect(descriptionOf(run)).toMatch(NOBODY);
		expect(own.requests).toHaveLength(0);
	});

	test('as several are wrong: the error of the first names the others', async () => {
		const items = ['customer-1', '', '', ''].map((toId) => ({ toId }));
		const { error } = resultOf(await own.engine.run(workflowOf(items, SEND)));
		expect(error?.context?.itemIndex).toBe(1);
		expect(error?.description).toMatch(
			/Also failed: items 2, 3\. Nothing was sent to anyone \(0 of 4\)\.$/,
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

	test.each(['apiKey', 'baseUrl'])('as the credential has no %s: nothing', async (name) => {
		own.credential[name] = '';
		const run = await own.engine.run(workflowOf(recipients(5), SEND));
		expect(descriptionOf(run)).toMatch(NOBODY);
	});

	describe('in a Retry', () => {
		test('what was lost before counts, whether its turn came or not', async () => {
			answer(own, { 'customer-1': 'rejected', 'customer-4': 'lost' });
			const parameters = { ...SEND, options: { maxConcurrency: 5 } };
			const failed = await own.engine.run(workflowOf(recipients(5), parameters));
			expect(descriptionOf(failed)).toMatch(/\b3 of 5 items were sent, and 1 may have been\./);
			const oneByOne = workflowOf(recipients(5), SEND);
			const run = await own.engine.retry(oneByOne, failed);
			expect(resultOf(run).error).toMatchObject({ context: { itemIndex: 0 } });
			expect(descriptionOf(run)).toMatch(/\b3 of 5 items were sent, and 1 may have been\./);
		});

		test('only what was lost before', async () => {
			answer(own, { 'customer-1': 'lost', 'customer-2': 'rejected' });
			const both = { ...SEND, options: { maxConcurrency: 2 } };
			const failed = await own.engine.run(workflowOf(recipients(2), both));
			const run = await own.engine.retry(workflowOf(recipients(2), both), failed);
			expect(descriptionOf(run)).toMatch(
				/None of 2 items is known to have been sent, and 1 may have been\.$/,
			);
		});

		test.each<[string, object, number]>([
			[
				'wrong for one that was not sent',
				{ toId: '={{ $json.toId === "customer-5" ? "" : $json.toId }}' },
				4,
			],
			[
				'wrong for one that was sent',
				{ toId: '={{ $json.toId === "customer-1" ? "" : $json.toId }}' },
				0,
			],
			['wrong for all', { toId: '={{ "" }}' }, 0],
			['wrong in an option', { options: { maxConcurrency: 'many' } }, 2],
		])('with parameters that are %s by now', async (_, more, itemIndex) => {
			answer(own, { 'customer-3': 'rejected' });
			const failed = await own.engine.run(workflowOf(recipients(5), SEND));
			const run = await own.engine.retry(workflowOf(recipients(5), { ...SEND, ...more }), failed);
			expect(resultOf(run).error).toMatchObject({ context: { itemIndex } });
			expect(descriptionOf(run)).toMatch(/\b2 of 5 items were sent\. Retry/);
			expect(descriptionOf(run)).not.toMatch(/[Nn]othing was sent/);
			expect(own.requests).toHaveLength(3);
		});

		test('messages that were sent in place of other ones do not count for these', async () => {
			answer(own, { 'customer-3': 'rejected', other: 'rejected' });
			const failed = await own.engine.run(workflowOf(recipients(3), SEND));
			const others = workflowOf(recipients(3), { ...SEND, toId: 'other' });
			const run = await own.engine.retry(others, failed);
			expect(descriptionOf(run)).toMatch(/Nothing was sent to anyone \(0 of 3\)\.$/);
		});

		test('messages that moved with their items count', async () => {
			answer(own, { 'customer-3': 'rejected', another: 'rejected' });
			const failed = await own.engine.run(workflowOf(recipients(3), SEND));
			const [next] = failed.data.executionData?.nodeExecutionStack ?? [];
			const items = [{ toId: 'another' }, ...recipients(3)].map((item) => ({ json: item }));
			if (next) next.data.main = [items];
			const run = await own.engine.retry(workflowOf(recipients(3), SEND), failed);
			expect(resultOf(run).error).toMatchObject({ context: { itemIndex: 0 } });
			expect(descriptionOf(run)).toMatch(/\b2 of 4 items were sent\. Retry/);
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
		const none = { hasKeys: false, isUnrecorded: false, isSubWorkflow: false, isLaterRun: false };
		expect(sentSoFar({ sent, unknown }, 3, { ...none, ...repeaters })).toBe(words);
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

describe('a failure that is recalled', () => {
	const KINDS: Array<[string, () => void, string[]]> = [
		['lost', () => answer(own, { 'customer-1': 'lost' }), []],
		[
			'broken',
			() => {
				own.answer = (_, response) => json(response, { code: 5, request_id: 'svc_5' }, 500);
			},
			['code', 'httpStatus', 'request_id'],
		],
	];

	test.each(KINDS)('shows an item nothing but its facts: %s', async (_, prepare, details) => {
		prepare();
		const run = await own.engine.run(
			workflowOf(recipients(1), SEND, retrying(2, 'continueRegularOutput')),
		);
		const [item] = resultOf(run).items;
		expect(own.requests).toHaveLength(1);
		expect(Object.keys(item?.json ?? {})).toEqual(['error']);
		expect(Object.keys(item?.json.error as object).sort()).toEqual(
			['message', 'description', 'outcome', ...details].sort(),
		);
	});

	test.each(KINDS)('shows an error nothing but its facts: %s', async (_, prepare, details) => {
		prepare();
		const run = await own.engine.run(workflowOf(recipients(1), SEND, retrying(2)));
		const { errorResponse } = resultOf(run).error as unknown as { errorResponse: object };
		expect(Object.keys(errorResponse).sort()).toEqual(['outcome', ...details].sort());
		expect(JSON.stringify(resultOf(run).error)).not.toMatch(/"(happened|advice|origin)"/);
	});
});

describe('what a run leaves in the saved execution', () => {
	const contextOf = (run: IRun) =>
		JSON.stringify(run.data.executionData?.contextData['node:Workchat'] ?? {});

	test.each<[string, NodeSettings]>([
		['Continue', CONTINUE],
		['Continue and Retry On Fail', retrying(2, 'continueRegularOutput')],
		['the error output and Retry On Fail', retrying(2, 'continueErrorOutput')],
	])('many rounds of a loop leave no more than one, with %s', async (_, settings) => {
		const rounds = thoroughly(50, 12);
		own.answer = (_request, response) => void response.socket?.destroy();
		const workflow = looped(workflowOf(recipients(rounds), SEND, settings));
		// The loop goes on from the error output too.
		const outputs = workflow.connections.Workchat?.main ?? [];
		if (settings.onError === 'continueErrorOutput') outputs[1] = outputs[0] ?? [];
		const run = await own.engine.run(workflow);
		expect(run.data.resultData.runData.Workchat).toHaveLength(rounds);
		expect(own.requests).toHaveLength(rounds);
		expect(contextOf(run).length).toBeLessThan(1500);
	});

	test('a Retry that succeeds leaves no ledger', async () => {
		answer(own, { 'customer-3': 'rejected' });
		const failed = await own.engine.run(workflowOf(recipients(4), SEND));
		answer(own, {});
		const edited = workflowOf(recipients(4), { ...SEND, options: { maxTries: 1 } });
		expect(contextOf(await own.engine.retry(edited, failed))).not.toContain('Ledger');
	});

	test('Retries with other edits each leave as much as one', async () => {
		answer(own, { 'customer-3': 'rejected' });
		let run = await own.engine.run(workflowOf(recipients(4), SEND));
		const { length } = contextOf(run);
		for (let maxTries = 1; maxTries <= 4; maxTries++) {
			run = await own.engine.retry(
				workflowOf(recipients(4), { ...SEND, options: { maxTries } }),
				run,
			);
		}
		expect(contextOf(run).length).toBeLessThan(length + 100);
		expect(own.requests).toHaveLength(2 + 5);
	});
});

describe('a redirect', () => {
	test.each([
		['/login', '/login'],
		['login/now', 'login/now'],
		['../up', '../up'],
		['/login?token=secret-token', '/login'],
		['//other.example.com/x', '//other.example.com/x'],
		['https://example.com/login', 'https://example.com/login'],
	])('to %s is shown as %s', async (location, shown) => {
		own.answer = (_, response) => void response.writeHead(302, { location }).end();
		const { error } = resultOf(await own.engine.run(workflowOf(recipients(1), SEND)));
		expect(error?.message).toBe(
			`The Workchat service redirects to ${shown}, which is not followed, to keep the API key safe (HTTP 302)`,
		);
		expect(error?.description).toMatch(/may or may not have been sent/);
		expect(JSON.stringify(error)).not.toContain('secret-token');
		expect(own.requests).toHaveLength(1);
	});

	test.each([
		[300, undefined],
		[301, undefined],
		[302, undefined],
		[304, undefined],
		[304, '/elsewhere'],
		[305, undefined],
		[399, undefined],
	])('is none with HTTP %d and Location %s', async (status, location) => {
		own.answer = (_, response) =>
			void response.writeHead(status, location ? { location } : {}).end();
		const { error } = resultOf(await own.engine.run(workflowOf(recipients(1), SEND)));
		expect(error?.message).toBe(
			`The Workchat service gave neither an answer nor a new address (HTTP ${status})`,
		);
		expect(error).toMatchObject({ errorResponse: { outcome: 'unknown' } });
		expect(error?.description).toMatch(/may or may not have been sent/);
	});
});
