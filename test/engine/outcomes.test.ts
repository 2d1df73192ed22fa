import { CONTINUE, retrying } from '../support/messages';
import { text, useOwnServer } from '../support/ownServer';
import { resultOf, SEND, useMemory, workflowOf } from '../support/setup';

/** What a run says of a message, whatever the service answers. */

const own = useOwnServer();
useMemory(own);
const RETRYING = retrying(3, CONTINUE.onError);

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
	const triesOf = (toId: string) => own.requests.filter(({ body }) => body.toId === toId).length;
	const ends = resultOf(run).items.map(({ json: { error } }, index) => {
		const [status, body] = ANSWERS[index]!;
		const { outcome = 'sent', tried = true } = (error ?? {}) as Record<string, unknown>;
		expect(tried).toBe(true);
		return [status, body, outcome, triesOf(String(index + 1))];
	});
	expect(ends).toEqual(ANSWERS);
});

/** What n8n or JavaScript itself reads of an object, or trips over, and what is in every envelope. */
const ODD = [
	...['"error":null', '"error":{"message":"x","stack":1}', '"$error":null,"$json":{}'],
	...['"$error":{"message":"x"},"$json":{}', '"json":{"toJSON":1,"then":1,"length":9}'],
	...['"binary":0', '"pairedItem":[1]', '"__proto__":{"constructor":null}', '"data":[1]'],
	...['"toString":null,"valueOf":null', '"":"\\ud800"', '"then":1', '"request_id":{}'],
	'"message":{"toString":null,"valueOf":null}',
];

/** Sends a message for each answer. */
async function run(answers: string[], parameters: object = {}, settings = CONTINUE) {
	own.requests.length = 0;
	own.answer = ({ body }, response) => text(response, answers[Number(body.toId) - 1]!);
	const items = answers.map((_, index) => ({ toId: String(index + 1) }));
	const all = { ...SEND, options: { maxConcurrency: 20 }, ...parameters };
	return await own.engine.run(workflowOf(items, all, settings));
}

test.each([
	[false, 'stopWorkflow'],
	[true, 'continueRegularOutput'],
	[true, 'continueErrorOutput'],
] as const)('a success stays one, whatever stands in it: Simplify %s, %s', async (...given) => {
	const [simplify, onError] = given;
	// n8n looks at the first item in other ways.
	for (const some of [ODD, ...ODD.slice(0, 4).map((one) => [one])]) {
		const answers = some.map((more) => {
			return simplify ? `{"ok":true,"code":0,"data":{${more}}}` : `{"ok":true,"code":0,${more}}`;
		});
		const { status, data } = await run(answers, { simplify }, { ...RETRYING, onError });
		// An item has passed n8n if the node behind ours got it.
		const arrived = data.resultData.runData.After?.[0]?.data?.main?.[0]?.length;
		const { length } = answers;
		const seen = [some[0], status, own.requests.length, arrived];
		expect(seen).toEqual([some[0], 'success', length, length]);
	}
});

test('a refusal stays one, whatever stands in it', async () => {
	const { items } = resultOf(await run(ODD.map((fields) => `{"ok":false,"code":7,${fields}}`)));
	expect(items).toMatchObject(ODD.map(() => ({ json: { error: { outcome: 'rejected' } } })));
});
