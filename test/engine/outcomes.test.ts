import type { ServerResponse } from 'node:http';

import type { INodeExecutionData, IRun } from 'n8n-workflow';

import { CONTINUE, retrying } from '../support/messages';
import { json, text, useOwnServer, type OwnServer } from '../support/ownServer';
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
		const { outcome, tried } = item.json.error ? errorOf(item) : { outcome: 'sent', tried: true };
		expect(tried).toBe(true);
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
/** A recipient is called by how the tries end, one after the other. */
const endAsCalled: OwnServer['answer'] = ({ body }, response) => {
	const toId = String(body.toId);
	TRIES[toId.split(' ')[triesOf(toId) - 1]!]!(response);
};
/** Without an unknown one, and with such at the beginning and the end; and what is said then. */
const CHAINS: Array<[tries: string, outcome: string, says: RegExp]> = [
	['refused refused refused', 'rejected', /it said no/],
	['lost refused refused', 'unknown', /closed the connection.*Tried again: .*it said no/],
	['lost refused broken', 'unknown', /^(?!.*Tried again).*it broke/],
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

test.each(CHAINS)('what was unknown stays so when it is resent: %s', async (tries, ...truth) => {
	own.answer = endAsCalled;
	const items = [{ toId: tries }];
	const run = await own.engine.run(workflowOf(items, RESEND, RETRYING));
	expectTruth(errorOf(resultOf(run).items[0]), ...truth);
	expect(own.requests).toHaveLength(3);

	own.requests.length = 0;
	const workflow = workflowOf(items, RESEND);
	let failed = await own.engine.run(workflow);
	for (const retry of [1, 2]) {
		failed = await own.engine.retry(workflow, failed);
		expect(own.requests).toHaveLength(1 + retry);
	}
	expectTruth(thrown(failed), ...truth);
});

/** What n8n or JavaScript itself reads of an object, or trips over, and what is in every envelope. */
const ODD = [
	...['"error":null', '"error":{"message":"x","stack":1}', '"$error":null,"$json":{}'],
	...['"$error":{"message":"x"},"$json":{}', '"json":{"toJSON":1,"then":1,"length":9}'],
	...['"binary":0', '"pairedItem":[1]', '"__proto__":{"constructor":null}', '"data":[1]'],
	...['"toString":null,"valueOf":null', '"":"\\ud800"', '"then":1', '"request_id":{}'],
	'"message":{"toString":null,"valueOf":null}',
];

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
		// n8n looks at the first item in other ways.
		for (const some of [ODD, ...ODD.slice(0, 4).map((one) => [one])]) {
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
	const answers = ODD.map((fields) => `{"ok":false,"code":7,${fields}}`);
	const parameters = { ...SEND, options: { maxConcurrency: 20 } };
	const workflow = workflowOf(answerWith(answers), parameters, CONTINUE);
	const { items } = resultOf(await own.engine.run(workflow));
	const seen = items.map((item, index) => [ODD[index], errorOf(item).outcome]);
	expect(seen).toEqual(ODD.map((each) => [each, 'rejected']));
	for (const answer of answers.slice(0, 5)) {
		const stopped = await own.engine.run(workflowOf(answerWith([answer]), SEND));
		const { outcome, message } = thrown(stopped);
		expect([answer, outcome]).toEqual([answer, 'rejected']);
		expect(message).toMatch(/^The Workchat service refused.* \(code 7/s);
	}
});
