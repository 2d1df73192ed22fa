import type { IExecuteFunctions } from 'n8n-workflow';

import { NodeOutput } from '../nodes/Workchat/execution/output';
import { inputFailure } from '../nodes/Workchat/service/failure/failure';
import { CONTINUE } from './messages';
import { NODE, resultOf, SEND, useBench, VIDEO, workflowOf } from './setup';

const bench = useBench();

describe('the recipient beside a failure', () => {
	const recipientOf = (toId: unknown) => {
		const context = {
			getNodeParameter: () => toId,
			getNode: () => ({ type: 'workchat' }),
			getInputData: () => [],
			continueOnFail: () => true,
		} as unknown as IExecuteFunctions;
		const operation = { fields: [], isRepeatable: false, recipientParameter: 'toId' };
		const output = new NodeOutput(context, operation);
		const { error } = output.errorItem(inputFailure('It is wrong', 'Mend it.'), 0, false).json;
		return (error as { toId?: string }).toId;
	};

	test.each<[string, unknown, string | undefined]>([
		['an ID', ' customer-1 ', 'customer-1'],
		['a number', 42, '42'],
		['an object', { toId: 'customer-1' }, undefined],
		['a list', ['customer-1', 'customer-2'], undefined],
		['a truth', true, undefined],
		['nothing', undefined, undefined],
		['no value', null, undefined],
		['lines', 'customer\n-1\u0007', 'customer -1'],
		[
			'a link with a signature',
			'https://u:fake-password@example.com/a?sign=fakesignature0123456789',
			'https://***@example.com/a?***',
		],
		['a long text', 'x'.repeat(60_000), `${'x'.repeat(200)}…`],
	])('is shown if it is %s', (_, toId, shown) => expect(recipientOf(toId)).toBe(shown));

	test('is the one that the message went to, whatever its expression says now', async () => {
		bench.sandbox.misbehave({ kind: 'refuse', code: 1, message: 'no' }, { times: 2 });
		const parameters = { ...SEND, toId: '={{ "customer-" + Math.random() }}' };
		const { items } = resultOf(await bench.engine.run(workflowOf([{}], parameters, CONTINUE)));
		const { error } = resultOf(await bench.engine.run(workflowOf([{}], parameters)));
		const [continued, stopped] = bench.sandbox.requests.map(({ body }) => String(body?.toId));
		expect(items[0]?.json.error).toMatchObject({ toId: continued });
		expect(error?.description).toContain(`item 0 (${stopped})`);
	});

	const secret = VIDEO.encodeData;
	test.each<[string, object, object]>([
		['a refused message', {}, {}],
		['one that could not be read', {}, { feedId: '={{ "" }}' }],
		['a name of a message in doubt', { sendOnceKey: secret }, {}],
	])('is no secret that was filled in by mistake, of %s', async (_, options, more) => {
		bench.sandbox.misbehave({ kind: 'dropAfterAccepting' }, { times: 4 });
		const fields = { ...VIDEO, ...more };
		const items = [fields, fields];
		const parameters = { ...SEND, ...fields, specifyFeedVideo: 'fields', toId: secret, options };
		for (const settings of [CONTINUE, {}]) {
			const run = await bench.engine.run(workflowOf(items, parameters, settings));
			const { error, items: put } = resultOf(run);
			const hints = run.data.resultData.runData[NODE]?.[0]?.hints;
			const said = [error?.message, error?.description, put.map(({ json }) => json), hints];
			expect(JSON.stringify(said)).toMatch(/outcome|item 0/);
			expect(JSON.stringify(said)).not.toContain(secret);
		}
	});

	test('is not longer in a hint', async () => {
		const toId = `${'x'.repeat(60_000)}?sign=fakesignature0123456789`;
		const run = await bench.engine.run(workflowOf([{ toId }, { toId }], SEND));
		const [hint] = run.data.resultData.runData[NODE]?.[0]?.hints ?? [];
		expect(hint?.message).toContain('same recipient');
		expect(hint?.message.length).toBeLessThan(500);
	});
});
