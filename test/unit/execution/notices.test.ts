import type { IExecuteFunctions } from 'n8n-workflow';

import { Notices } from '../../../nodes/Workchat/execution/notices';
import type { Notice } from '../../../nodes/Workchat/execution/operation';

const shown = (...all: Array<Parameters<Notices['add']>>): string[] => {
	const notices = new Notices();
	for (const notice of all) notices.add(...notice);
	const messages: string[] = [];
	const addExecutionHints = (...more: Array<{ message: string }>) =>
		messages.push(...more.map(({ message }) => message));
	notices.show({ addExecutionHints } as unknown as IExecuteFunctions);
	return messages;
};

test('a notice names ten items and counts the others', () => {
	const items = Array.from({ length: 300_000 }, (_, index) => index);
	const hint = 'failed (items 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 299990 more)';
	expect(shown([{ text: 'failed' }, items])).toEqual([hint]);
});

test('users see a notice about several fields and items once', () => {
	const [a, b] = ['a', 'b'].map((subject) => ({ text: 'was removed', subject }));
	const hint = 'was removed: a, b (items 1, 3)';
	expect(shown([a!, [0]], [b!, [0]], [a!, [2]])).toEqual([hint]);
});

test('of more than five notices, users see the last five, so they always see how many items failed', () => {
	const texts = ['1', '2', '3', '4', '5', '6', '7'];
	expect(shown(...texts.map((text): [Notice] => [{ text }]))).toEqual(texts.slice(2));
});
