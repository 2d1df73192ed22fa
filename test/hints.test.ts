import type { IExecuteFunctions, IRun } from 'n8n-workflow';

import { Hints } from '../nodes/Workchat/execution/hints';
import { recipients, SEND, type NodeSettings, useBench, VIDEO, workflowOf } from './setup';

const bench = useBench();
const hintsOf = (run: IRun) => run.data.resultData.runData.Workchat?.[0]?.hints ?? [];

test('failed items are a hint where the node continues', async () => {
	bench.sandbox.misbehave(
		{ kind: 'refuse', code: 1, message: 'no' },
		{ when: ({ toId }) => toId === 'customer-2' },
	);
	const settings: NodeSettings = { onError: 'continueErrorOutput' };
	const run = await bench.engine.run(workflowOf(recipients(3), SEND, settings));
	expect(hintsOf(run)).toEqual([
		expect.objectContaining({ message: '1 of 3 items failed (item 1)' }),
	]);
});

test('hints list ten items and ten names at most', async () => {
	const more = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`key${index}`, 1]));
	const feedVideo = JSON.stringify({ ...VIDEO, ...more });
	const run = await bench.engine.run(workflowOf(recipients(12), { ...SEND, feedVideo }));
	expect(hintsOf(run).map(({ message }) => message)).toEqual([
		'Fields of the JSON were ignored: key0, key1, key2, key3, key4, key5, key6, key7, key8, key9' +
			' and 2 more (items 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more)',
	]);
});

test('there are five hints at most', async () => {
	const feedVideo = `={{ { ...${SEND.feedVideo}, [$json.toId]: 1 } }}`;
	const run = await bench.engine.run(workflowOf(recipients(7), { ...SEND, feedVideo }));
	expect(hintsOf(run)).toHaveLength(5);
});

test('hints stand any number of items', () => {
	const hints = new Hints();
	hints.add(
		'failed',
		Array.from({ length: 300_000 }, (_, index) => index),
	);
	const addExecutionHints = jest.fn();
	hints.show({ addExecutionHints } as unknown as IExecuteFunctions);
	expect(addExecutionHints).toHaveBeenCalledWith(
		expect.objectContaining({
			message: 'failed (items 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 299990 more)',
		}),
	);
});
