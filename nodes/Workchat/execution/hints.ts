import type { IExecuteFunctions } from 'n8n-workflow';

import { listed } from '../service/text/listed';
import type { Remark } from './operation';

/** More would hide the output that they stand above. */
const MOST_HINTS = 5;
const MOST_ITEMS = 10;

/** Collects what the user should know of the items, to say each thing once. */
export class Hints {
	private readonly facts = new Map<string, { subjects: Set<string>; itemIndexes: Set<number> }>();

	add({ text, subject }: Remark, itemIndexes: number[]): void {
		const fact = this.facts.get(text) ?? { subjects: new Set(), itemIndexes: new Set() };
		if (subject !== undefined) fact.subjects.add(subject);
		for (const itemIndex of itemIndexes) fact.itemIndexes.add(itemIndex);
		this.facts.set(text, fact);
	}

	/** Shows them above the node's output. */
	show(context: IExecuteFunctions): void {
		const hints = [...this.facts].slice(0, MOST_HINTS);
		context.addExecutionHints(
			...hints.map(([text, { subjects, itemIndexes }]) => ({
				message: `${text}${about(subjects)} (${listedItems([...itemIndexes].sort((a, b) => a - b))})`,
				type: 'warning' as const,
				location: 'outputPane' as const,
			})),
		);
	}
}

function about(subjects: Set<string>): string {
	return subjects.size === 0 ? '' : `: ${listed([...subjects], MOST_ITEMS)}`;
}

/** "item 4", "items 0, 3, 5", counted from 0 as in n8n's own words "[item 0]". */
export function listedItems<T>(items: T[], nameOf: (item: T) => string = String): string {
	return `item${items.length === 1 ? '' : 's'} ${listed(items, MOST_ITEMS, nameOf)}`;
}
