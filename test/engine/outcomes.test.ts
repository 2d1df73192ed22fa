import type { ServerResponse } from 'node:http';

import type { INodeExecutionData, IRun } from 'n8n-workflow';

import { CONTINUE } from '../support/messages';
import { json, text, useOwnServer } from '../support/ownServer';
import { resultOf, SEND, useMemory, workflowOf, type NodeSettings } from '../support/setup';
import { everyNth } from '../support/everyNth';

const own = useOwnServer();
useMemory(own);
const RETRYING: NodeSettings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };

interface ErrorJson {
	message: string;
	description: string;
	outcome: string;
	[fact: string]: unknown;
}
const errorOf = (item: INodeExecutionData | undefined) => item?.json.error as unknown as ErrorJson;
/** How many requests the service got for a recipient. */
const triesOf = (toId: string) => own.requests.filter(({ body }) => body.toId === toId).length;

describe('the outcome', () => {
	const BODIES: Record<string, string> = {
		'no body': '',
		'a web page': '<!doctype html><title>Sorry</title>',
		'half an envelope': '{"ok":false,"code":7',
		'a code that is text': '{"ok":false,"code":"7"}',
		'a code in a list': '[{"ok":false,"code":7}]',
		'a refusal': '{"ok":false,"code":7,"message":"no","request_id":"svc_1"}',
		'a refusal of nothing but a code': '{"code":-1}',
		'a success': '{"ok":true,"code":0,"request_id":"svc_1"}',
		'code 0, but not ok': '{"ok":false,"code":0}',
		'ok, but another code': '{"ok":true,"code":7,"request_id":"svc_1"}',
		'no body, but a length': '',
		'half an envelope, but the length of a whole one': '{"ok":false,"code":7,"mess',
	};
	const breaksOff = (name: string) => name.includes('length');
	const isRefusal = (name: string) => name.startsWith('a refusal');
	const isRefuted = (name: string) =>
		name === 'a success' || (/, but /.test(name) && !breaksOff(name));

	function expected(status: number, name: string): string {
		if (status === 429) return 'rejected';
		if (status < 300)
			return isRefusal(name) ? 'rejected' : name === 'a success' ? 'sent' : 'unknown';
		if (status < 400 || isRefuted(name)) return 'unknown';
		if (status === 408 || status === 503) return isRefusal(name) ? 'rejected' : 'unknown';
		return status < 500 ? 'rejected' : 'unknown';
	}

	const STATUSES = [200, 299, 307, 404, 408, 429, 499, 500, 503];
	test('is what every status with every body proves', async () => {
		const cases = STATUSES.flatMap((status) =>
			Object.keys(BODIES).map((name) => ({ status, name, toId: `HTTP ${status} with ${name}` })),
		);
		own.answer = ({ body }, response) => {
			const { status = 0, name = '' } = cases.find(({ toId }) => toId === body.toId) ?? {};
			const length = breaksOff(name) && { 'content-length': '1000' };
			response.writeHead(status, { 'retry-after': '0', connection: 'close', ...length });
			if (length) response.write(BODIES[name] || ' ', () => response.destroy());
			else response.end(BODIES[name]);
		};
		// n8n repeats a node for its first item alone, and then with all.
		cases.sort((one, other) => Number(isRefusal(other.name)) - Number(isRefusal(one.name)));
		const parameters = { ...SEND, options: { maxTries: 2, maxConcurrency: 20 } };
		const run = await own.engine.run(workflowOf(cases, parameters, { ...CONTINUE, ...RETRYING }));
		const actual = resultOf(run).items.map((item, index) => {
			const { toId = '' } = cases[index] ?? {};
			const outcome = item.json.error ? errorOf(item).outcome : 'sent';
			return { toId, outcome, tries: triesOf(toId) };
		});
		expect(actual).toEqual(
			cases.map(({ status, name, toId }) => {
				const outcome = expected(status, name);
				// What may have been done is not repeated, neither by the node nor by n8n.
				const isBusy = status === 429 || status === 503;
				return { toId, outcome, tries: outcome === 'rejected' ? (isBusy ? 2 : 1) * 3 : 1 };
			}),
		);
	});
});

/** How a try can end. */
const TRIES: Record<string, (response: ServerResponse) => void> = {
	lost: (response) => void response.socket?.destroy(),
	broken: (response) => json(response, { ok: false, code: 5, message: 'it broke' }, 500),
	refused: (response) => json(response, { ok: false, code: 9, message: 'it said no' }),
	busy: (response) => {
		response.setHeader('retry-after', '0');
		json(response, { ok: false, code: 4, message: 'it is busy' }, 503);
	},
	sent: (response) => json(response, { ok: true, code: 0 }),
};
const SAYS: Record<string, RegExp> = {
	lost: /closed the connection/,
	broken: /it broke/,
	refused: /it said no/,
	busy: /it is busy/,
};
const isUnknown = (name: string) => name === 'lost' || name === 'broken';
/** The tries of each recipient end like this, one after the other; of further ones, as refused. */
const inTurn = (...chains: string[][]) => {
	const left = Object.fromEntries(chains.map((chain) => [String(chain), [...chain]]));
	own.answer = ({ body }, response) =>
		TRIES[left[String(body.toId)]?.shift() ?? 'refused']?.(response);
	return chains.map((chain) => ({ toId: String(chain) }));
};
const ENDS = Object.keys(TRIES).filter((name) => name !== 'sent');
/** Every seventh has unknown ones at each place, and at none. */
const CHAINS = everyNth(
	ENDS.flatMap((a) => ENDS.flatMap((b) => ENDS.map((c) => [a, b, c]))),
	7,
);
const RESEND = { ...SEND, options: { resendUnknown: true, maxTries: 1 } };

/** What is to be said after these tries. */
function expectTruth({ message, outcome, description }: ErrorJson, tries: string[]) {
	const last = tries.at(-1) ?? '';
	expect(message).toMatch(SAYS[last] as RegExp);
	const lastUnknown = tries.filter(isUnknown).at(-1);
	expect(outcome).toBe(lastUnknown ? 'unknown' : 'rejected');
	expect(message.match(/Tried again/g)?.length ?? 0).toBe(lastUnknown && !isUnknown(last) ? 1 : 0);
	if (!lastUnknown) return;
	expect(message).toMatch(SAYS[lastUnknown] as RegExp);
	expect(description).toMatch(/may or may not have been sent/);
	// Each of these tries did send.
	expect(message).not.toMatch(/Not sent again/);
}
const thrown = (run: IRun): ErrorJson => {
	const { error } = resultOf(run);
	const { errorResponse } = error as unknown as { errorResponse?: { outcome: string } };
	return {
		message: error?.message ?? '',
		description: error?.description ?? '',
		outcome: errorResponse?.outcome ?? '',
	};
};

/** Within one try of n8n's: retry.test.ts. */
describe('with Resend if Unknown', () => {
	test('with Retry On Fail, it stays unknown', async () => {
		const settings = { ...CONTINUE, ...RETRYING };
		const run = await own.engine.run(workflowOf(inTurn(...CHAINS), RESEND, settings));
		const { items } = resultOf(run);
		for (const [index, tries] of CHAINS.entries()) {
			expectTruth(errorOf(items[index]), tries);
			expect(triesOf(String(tries))).toBe(3);
		}
	});

	test.each(CHAINS)('%s, %s, %s with Retries from the list', async (...tries) => {
		const workflow = workflowOf(inTurn(tries), RESEND);
		let run = await own.engine.run(workflow);
		for (const made of [2, 3]) {
			run = await own.engine.retry(workflow, run);
			expectTruth(thrown(run), tries.slice(0, made));
		}
	});

	test.each(ENDS.filter(isUnknown))('%s, then sent: a success, and nothing more', async (first) => {
		const workflow = workflowOf(inTurn([first, 'sent']), RESEND);
		const run = await own.engine.retry(workflow, await own.engine.run(workflow));
		expect(resultOf(run).items.map(({ json }) => json)).toEqual([{ ok: true, code: 0 }]);
		expect(own.requests).toHaveLength(2);
	});
});

/** JSON of several types, and what trips over itself. */
const VALUES = [
	...['null', '0', '""', '[1]', '{"message":"x","stack":1}', '{"toJSON":1,"then":1,"length":9}'],
	...['{"toString":null,"valueOf":null}', '{"constructor":null,"__proto__":null}'],
];
/** What n8n or JavaScript itself reads of an object. */
const KEYS =
	'$error,$json,error,json,binary,pairedItem,__proto__,toString,toJSON,then,,\\ud800'.split(',');

/** An item has passed n8n if the node behind ours got it. */
const arrived = (run: IRun) => run.data.resultData.runData.After?.[0]?.data?.main?.[0]?.length;

/** Of each request, what is told by the number that its field holds. */
const answerByNumber = (field: string, answers: string[]) => {
	own.answer = ({ body }, response) => text(response, answers[Number(body[field])] ?? '');
	return answers.map((_, index) => ({ toId: String(index) }));
};

describe('a success stays a success, whatever stands in its envelope', () => {
	const ERRORS = VALUES.flatMap((value) => [
		`"$error":${value},"$json":{}`,
		`"$error":{"message":"x"},"$json":${value}`,
		`"error":${value}`,
	]);
	const MORE = [
		...ERRORS,
		...KEYS.flatMap((key) => ['null', '{"toString":1}', '"x"'].map((value) => `"${key}":${value}`)),
		...['request_id', 'message', 'data'].flatMap((key) =>
			VALUES.map((value) => `"${key}":${value}`),
		),
	];
	const envelopes = (more: string[]) =>
		more.flatMap((fields) => [
			`{"ok":true,"code":0,${fields}}`,
			`{"ok":true,"code":0,"data":{${fields}}}`,
		]);

	test.each([
		[false, 'stopWorkflow'],
		[true, 'continueRegularOutput'],
		[false, 'continueErrorOutput'],
	] as const)('any value of any key, Simplify %s, %s', async (simplify, onError) => {
		const parameters = { ...SEND, simplify, options: { maxConcurrency: 20 } };
		const expectArrived = async (answers: string[]) => {
			own.requests.length = 0;
			const items = answerByNumber('toId', answers);
			const run = await own.engine.run(workflowOf(items, parameters, { onError, ...RETRYING }));
			const all = answers.length;
			const seen = { status: run.status, sent: own.requests.length, arrived: arrived(run) };
			expect([answers[0], seen]).toEqual([
				answers[0],
				{ status: 'success', sent: all, arrived: all },
			]);
		};
		await expectArrived(['{"ok":true,"code":0}', ...envelopes(everyNth(MORE, 4))]);
		// n8n looks at the first item in other ways.
		for (const answer of envelopes(everyNth(ERRORS, 7))) await expectArrived([answer]);
	});
});

describe('a refusal stays a refusal, whatever stands in its envelope', () => {
	const MORE = everyNth(
		[
			'"$error":null,"$json":{}',
			...['message', 'request_id', 'data', 'ok', '$error', '__proto__', 'toString'].flatMap((key) =>
				VALUES.map((value) => `"${key}":${value}`),
			),
		],
		5,
	);
	const refusals = (more: string[]) => more.map((fields) => `{"ok":false,"code":7,${fields}}`);
	// That contradicts itself.
	const isOk = (more: string | undefined) => more === '"ok":true';

	test('as an error item', async () => {
		const parameters = { ...SEND, options: { maxConcurrency: 20 } };
		const workflow = workflowOf(answerByNumber('toId', refusals(MORE)), parameters, CONTINUE);
		const { items } = resultOf(await own.engine.run(workflow));
		const seen = items.map((item, index) => [MORE[index], errorOf(item).outcome]);
		expect(seen).toEqual(MORE.map((more) => [more, isOk(more) ? 'unknown' : 'rejected']));
	});

	test('as the error that stops the workflow', async () => {
		for (const more of everyNth(MORE, 3).filter((more) => !isOk(more))) {
			const run = await own.engine.run(workflowOf(answerByNumber('toId', refusals([more])), SEND));
			const { outcome, message } = thrown(run);
			expect([more, outcome]).toEqual([more, 'rejected']);
			expect(message).toMatch(/^The Workchat service refused.* \(code 7/s);
		}
	});
});

test('an item says whether its execution tried it, also by Retry On Fail', async () => {
	const items = [...inTurn(['refused', 'refused'], ['lost']), { toId: '' }];
	const triedIn = (run: IRun) => resultOf(run).items.map((item) => errorOf(item).tried);
	const workflow = workflowOf(items, SEND, { ...CONTINUE, ...RETRYING, maxTries: 2 });
	expect(triedIn(await own.engine.run(workflow))).toEqual([true, true, false]);
	expect(own.requests).toHaveLength(3);

	const [lost] = inTurn(['lost']);
	const failed = await own.engine.run(workflowOf([lost!], SEND));
	const again = workflowOf([lost!], SEND, CONTINUE);
	expect(triedIn(await own.engine.retry(again, failed))).toEqual([false]);
	expect(own.requests).toHaveLength(4);
});
