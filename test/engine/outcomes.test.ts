import type { ServerResponse } from 'node:http';

import type { INodeExecutionData, IRun } from 'n8n-workflow';

import { everyNth } from '../support/everyNth';
import { CONTINUE, retrying } from '../support/messages';
import { json, text, useOwnServer } from '../support/ownServer';
import { resultOf, SEND, useMemory, workflowOf } from '../support/setup';

/** What a run says of a message, and when it sends it again. */

const own = useOwnServer();
useMemory(own);
const RETRYING = retrying(3, CONTINUE.onError);

type ErrorJson = Record<'message' | 'description' | 'outcome', string> & { tried?: boolean };
type Thrown = ErrorJson & { errorResponse: ErrorJson };
const errorOf = (item?: INodeExecutionData) => item?.json.error as unknown as ErrorJson;
/** How many requests the service got for a recipient. */
const triesOf = (toId: string) => own.requests.filter(({ body }) => body.toId === toId).length;

const NO = '{"ok":false,"code":7,"message":"no","request_id":"svc_1"}';
const ANSWERS: Array<[status: number, body: string, outcome: string, tries: number]> = [
	[200, NO, 'rejected', 3],
	[200, '{"ok":true,"code":0}', 'sent', 1],
	[200, '<html>', 'unknown', 1],
	[200, `${NO} but cut`, 'unknown', 1],
	[404, ' but cut', 'rejected', 3],
	[429, '', 'rejected', 6],
	[500, NO, 'unknown', 1],
	[503, NO, 'rejected', 6],
];

test('what may have been done is not repeated, neither by the node nor by n8n', async () => {
	own.answer = ({ body }, response) => {
		const [status, said] = ANSWERS[Number(body.toId) - 1]!;
		const length = said.endsWith('but cut') && { 'content-length': said.length + 100 };
		response.writeHead(status, { 'retry-after': '0', connection: 'close', ...length });
		if (length) response.write(said, () => response.destroy());
		else response.end(said);
	};
	const items = ANSWERS.map((_, index) => ({ toId: String(index + 1) }));
	const parameters = { ...SEND, options: { maxTries: 2, maxConcurrency: 20 } };
	const run = await own.engine.run(workflowOf(items, parameters, RETRYING));
	const ends = resultOf(run).items.map((item, index) => {
		const [status, body] = ANSWERS[index]!;
		const outcome = item.json.error ? errorOf(item).outcome : 'sent';
		return [status, body, outcome, triesOf(String(index + 1))];
	});
	expect(ends).toEqual(ANSWERS);
});

/** How a try can end. */
const TRIES: Record<string, (response: ServerResponse) => void> = {
	lost: (response) => void response.socket?.destroy(),
	broken: (response) => json(response, { code: 5, message: 'it broke' }, 500),
	refused: (response) => json(response, { code: 9, message: 'it said no' }),
};
/** The tries of each recipient end like this, one after the other; of further ones, as refused. */
const inTurn = (...chains: string[][]) => {
	const left = Object.fromEntries(chains.map((chain) => [String(chain), [...chain]]));
	own.answer = ({ body }, response) =>
		TRIES[left[String(body.toId)]?.shift() ?? 'refused']?.(response);
	return chains.map((chain) => ({ toId: String(chain) }));
};
/** Unknown ones at each place, and at none; and what is said in the end. */
const CHAINS: Array<[tries: string[], outcome: string, says: RegExp]> = [
	[['refused', 'refused', 'refused'], 'rejected', /it said no/],
	[['lost', 'refused', 'refused'], 'unknown', /closed the connection.*Tried again: .*it said no/],
	[['broken', 'lost', 'refused'], 'unknown', /closed the connection.*Tried again: .*it said no/],
	[['refused', 'lost', 'broken'], 'unknown', /^(?!.*Tried again).*it broke/],
	[['lost', 'refused', 'broken'], 'unknown', /^(?!.*Tried again).*it broke/],
];
const RESEND = { ...SEND, options: { resendUnknown: true, maxTries: 1 } };

function expectTruth({ message, outcome, description }: ErrorJson, expected: string, says: RegExp) {
	expect([outcome, message]).toEqual([expected, expect.stringMatching(says)]);
	// Each of these tries did send.
	expect(message).not.toMatch(/Not sent again|Tried again.*Tried again/);
	expect(/may or may not have been sent/.test(description)).toBe(outcome === 'unknown');
}
const thrown = (run: IRun): ErrorJson => {
	const { message = '', description, errorResponse } = resultOf(run).error as never as Thrown;
	return { message, description, outcome: errorResponse.outcome };
};

describe('what was unknown stays so with Resend if Unknown', () => {
	test('and Retry On Fail', async () => {
		const items = inTurn(...CHAINS.map(([tries]) => tries));
		const run = await own.engine.run(workflowOf(items, RESEND, RETRYING));
		for (const [index, [tries, ...truth]] of CHAINS.entries()) {
			expectTruth(errorOf(resultOf(run).items[index]), ...truth);
			expect(triesOf(String(tries))).toBe(3);
		}
	});

	test.each(CHAINS)('%s with Retries from the list', async (tries, ...truth) => {
		const workflow = workflowOf(inTurn(tries), RESEND);
		let run = await own.engine.run(workflow);
		for (let retry = 0; retry < 2; retry++) run = await own.engine.retry(workflow, run);
		expectTruth(thrown(run), ...truth);
	});
});

/** JSON of several types, and what trips over itself. */
const VALUES = [
	...['null', '0', '""', '[1]', '{"message":"x","stack":1}', '{"toJSON":1,"then":1,"length":9}'],
	...['{"toString":null,"valueOf":null}', '{"constructor":null,"__proto__":null}'],
];
/** What n8n or JavaScript itself reads of an object, and what is in every envelope. */
const KEYS =
	'$error,$json,error,json,binary,pairedItem,__proto__,toString,then,,\\ud800,message,request_id,data';
const ANY = KEYS.split(',').flatMap((key) => VALUES.map((value) => `"${key}":${value}`));
/** n8n looks at the first item in other ways. */
const FIRST = ['"error":null', '"error":{"message":"x"}', '"$error":{"message":"x"},"$json":{}'];

/** A message for each answer, by its number. */
const answerWith = (answers: string[]) => {
	own.requests.length = 0;
	own.answer = ({ body }, response) => text(response, answers[Number(body.toId) - 1] ?? '');
	return answers.map((_, index) => ({ toId: String(index + 1) }));
};

test.each([
	[false, 'stopWorkflow'],
	[true, 'continueRegularOutput'],
	[true, 'continueErrorOutput'],
] as const)(
	'a success stays one, whatever stands in it: Simplify %s, %s',
	async (simplify, onError) => {
		const parameters = { ...SEND, simplify, options: { maxConcurrency: 20 } };
		for (const some of [everyNth(ANY, 4), ...FIRST.map((one) => [one])]) {
			const answers = some.flatMap((more) => [
				`{"ok":true,"code":0,"data":{${more}}}`,
				`{"ok":true,"code":0,${more}}`,
			]);
			const workflow = workflowOf(answerWith(answers), parameters, { ...RETRYING, onError });
			const run = await own.engine.run(workflow);
			// An item has passed n8n if the node behind ours got it.
			const arrived = run.data.resultData.runData.After?.[0]?.data?.main?.[0]?.length;
			const { length } = answers;
			const seen = [some[0], run.status, own.requests.length, arrived];
			expect(seen).toEqual([some[0], 'success', length, length]);
		}
	},
);

test('a refusal stays one, whatever stands in it: as an error item, or as the error that stops', async () => {
	const more = everyNth(['"$error":null,"$json":{}', ...ANY], 5);
	const answers = more.map((fields) => `{"ok":false,"code":7,${fields}}`);
	const parameters = { ...SEND, options: { maxConcurrency: 20 } };
	const workflow = workflowOf(answerWith(answers), parameters, CONTINUE);
	const { items } = resultOf(await own.engine.run(workflow));
	const seen = items.map((item, index) => [more[index], errorOf(item).outcome]);
	expect(seen).toEqual(more.map((each) => [each, 'rejected']));
	for (const answer of everyNth(answers, 5)) {
		const stopped = await own.engine.run(workflowOf(answerWith([answer]), SEND));
		const { outcome, message } = thrown(stopped);
		expect([answer, outcome]).toEqual([answer, 'rejected']);
		expect(message).toMatch(/^The Workchat service refused.* \(code 7/s);
	}
});

test('an item says whether its execution tried it, also by Retry On Fail', async () => {
	const items = [...inTurn(['refused', 'refused'], ['lost']), { toId: '' }];
	const triedIn = (run: IRun) => resultOf(run).items.map((item) => errorOf(item).tried);
	const workflow = workflowOf(items, SEND, retrying(2, CONTINUE.onError));
	expect(triedIn(await own.engine.run(workflow))).toEqual([true, true, false]);
	expect(own.requests).toHaveLength(3);

	const [lost] = inTurn(['lost']);
	const failed = await own.engine.run(workflowOf([lost!], SEND));
	const again = workflowOf([lost!], SEND, CONTINUE);
	expect(triedIn(await own.engine.retry(again, failed))).toEqual([false]);
	expect(own.requests).toHaveLength(4);
});
