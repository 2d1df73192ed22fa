import type { IExecuteFunctions } from 'n8n-workflow';

import { Hints } from '../../../nodes/Workchat/execution/hints';
import type { Remark } from '../../../nodes/Workchat/execution/operation';

const shown = (...remarks: Array<Parameters<Hints['add']>>): string[] => {
	const hints = new Hints();
	for (const remark of remarks) hints.add(...remark);
	const said: string[] = [];
	const addExecutionHints = (...more: Array<{ message: string }>) =>
		said.push(...more.map(({ message }) => message));
	hints.show({ addExecutionHints } as unknown as IExecuteFunctions);
	return said;
};

test('hints stand any number of items, and name ten', () => {
	const items = Array.from({ length: 300_000 }, (_, index) => index);
	const words = 'failed (items 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 299990 more)';
	expect(shown([{ text: 'failed' }, items])).toEqual([words]);
});

test('hints say the same of several fields and items once', () => {
	const [a, b] = ['a', 'b'].map((subject) => ({ text: 'was removed', subject }));
	const words = 'was removed: a, b (items 1, 3)';
	expect(shown([a!, [0]], [b!, [0]], [a!, [2]])).toEqual([words]);
});

test('there are five hints at most', () => {
	const texts = ['1', '2', '3', '4', '5', '6', '7'];
	expect(shown(...texts.map((text): [Remark] => [{ text }]))).toEqual(texts.slice(2));
});
