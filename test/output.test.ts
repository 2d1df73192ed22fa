import type { IExecuteFunctions } from 'n8n-workflow';

import { NodeOutput } from '../nodes/Workchat/execution/output';
import { inputFailure } from '../nodes/Workchat/service/failure/failure';
import { NODE, SEND, useBench, workflowOf } from './setup';

const bench = useBench();

describe('the recipient beside a failure', () => {
	const recipientOf = (toId: unknown) => {
		const context = {
			getNodeParameter: () => toId,
			getNode: () => ({ type: 'workchat' }),
			continueOnFail: () => true,
		} as unknown as IExecuteFunctions;
		const operation = { isRepeatable: false, recipientParameter: 'toId' };
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

	test('is not longer in a hint', async () => {
		const toId = `${'x'.repeat(60_000)}?sign=fakesignature0123456789`;
		const run = await bench.engine.run(workflowOf([{ toId }, { toId }], SEND));
		const [hint] = run.data.resultData.runData[NODE]?.[0]?.hints ?? [];
		expect(hint?.message).toContain('same recipient');
		expect(hint?.message.length).toBeLessThan(500);
	});
});
