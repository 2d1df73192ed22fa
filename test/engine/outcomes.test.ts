import { CONTINUE, retrying } from '../support/messages';
import { text, useOwnServer } from '../support/ownServer';
import { recipients, resultOf, SEND, workflowOf } from '../support/setup';

/** The outcome of a message, for any response of the service. */

const own = useOwnServer();

test('a message is reported as rejected by an error status, even if its body is cut off', async () => {
	own.answer = (_, response) => {
		response.writeHead(404, { 'content-length': 100 });
		response.write('cut', () => response.destroy());
	};
	const run = await own.engine.run(workflowOf(recipients(1), SEND, CONTINUE));
	expect(resultOf(run).items).toMatchObject([{ json: { error: { outcome: 'rejected' } } }]);
});

test('a message whose response came while n8n was busy for longer than Timeout is reported as sent', async () => {
	own.answer = (_, response) => {
		text(response, '{"ok":true,"code":0}');
		for (const began = Date.now(); Date.now() - began < 1000; );
	};
	const parameters = { ...SEND, options: { timeout: 400 } };
	const run = await own.engine.run(workflowOf(recipients(1), parameters, CONTINUE));
	expect(resultOf(run).items).toMatchObject([{ json: { ok: true, code: 0 } }]);
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
] as const)(
	'a sent message is reported as sent, whatever its response contains: Simplify %s, %s',
	async (...given) => {
		const [simplify, onError] = given;
		// n8n looks at the first item in other ways.
		for (const some of [ODD, ...ODD.slice(0, 4).map((one) => [one])]) {
			const answers = some.map((more) => {
				return simplify ? `{"ok":true,"code":0,"data":{${more}}}` : `{"ok":true,"code":0,${more}}`;
			});
			const { status, data } = await run(answers, { simplify }, retrying(3, onError));
			// An item has passed n8n if the node behind ours got it.
			const arrived = data.resultData.runData.After?.[0]?.data?.main?.[0]?.length;
			const { length } = answers;
			const seen = [some[0], status, own.requests.length, arrived];
			expect(seen).toEqual([some[0], 'success', length, length]);
		}
	},
);

test('a refused message is reported as rejected, whatever its response contains', async () => {
	const { items } = resultOf(await run(ODD.map((fields) => `{"ok":false,"code":7,${fields}}`)));
	expect(items).toMatchObject(ODD.map(() => ({ json: { error: { outcome: 'rejected' } } })));
});
