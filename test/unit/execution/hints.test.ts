import type { IExecuteFunctions } from 'n8n-workflow';

import { useVirtualN8n } from '../../support/virtual';

import { recipients } from '../../../dev/engine/workflows';
import { Hints } from '../../../nodes/Workchat/execution/hints';

const n8n = useVirtualN8n();

test('failed items are a hint where the node continues', async () => {
	n8n.answer = (toId) => (toId === 'customer-2' ? 'refused' : 'accepted');
	const { hints } = await n8n.run(recipients(3));
	expect(hints).toEqual(['1 of 3 items failed (item 1, counted from 0)']);
});
const shown = (hints: Hints): string[] => {
	const said: string[] = [];
	const addExecutionHints = (...more: Array<{ message: string }>) =>
		said.push(...more.map(({ message }) => message));
	hints.show({ addExecutionHints } as unknown as IExecuteFunctions);
	return said;
};

test('hints stand any number of items, and name ten', () => {
	const hints = new Hints();
	const items = Array.from({ length: 300_000 }, (_, index) => index);
	hints.add({ text: 'failed' }, items);
	expect(shown(hints)).toEqual([
		'failed (items 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 299990 more, counted from 0)',
	]);
});

test('hints say the same of several fields and items once', () => {
	const hints = new Hints();
	hints.add({ text: 'was removed', subject: 'a' }, [0]);
	hints.add({ text: 'was removed', subject: 'b' }, [0]);
	hints.add({ text: 'was removed', subject: 'a' }, [2]);
	expect(shown(hints)).toEqual(['was removed: a, b (items 0, 2, counted from 0)']);
});

test('there are five hints at most', () => {
	const hints = new Hints();
	for (let count = 0; count < 7; count++) hints.add({ text: `text ${count}` }, [count]);
	expect(shown(hints)).toHaveLength(5);
});
