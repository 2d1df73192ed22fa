import type { IExecuteFunctions } from 'n8n-workflow';

import { listed } from '../service/listed';

/** More would hide the output that they stand above. */
const MOST_HINTS = 5;
const MOST_ITEMS = 10;

/** Collects what the user should know of the items, to say each thing once. */
export class Hints {
	private readonly itemsOf = new Map<string, number[]>();

	/** @param remark a sentence without its final period */
	add(remark: string, itemIndexes: number[]): void {
		const items = this.itemsOf.get(remark) ?? [];
		for (const itemIndex of itemIndexes) items.push(itemIndex);
		this.itemsOf.set(remark, items);
	}

	/** Shows them above the node's output. */
	show(context: IExecuteFunctions): void {
		const hints = [...this.itemsOf].slice(0, MOST_HINTS);
		context.addExecutionHints(
			...hints.map(([remark, items]) => ({
				message: `${remark} (${listedItems(items)})`,
				type: 'warning' as const,
				location: 'outputPane' as const,
			})),
		);
	}
}

/** "item 4", "items 0, 3, 5", counted from 0 as in n8n's own words "[item 0]". */
export function listedItems(items: number[]): string {
	return `item${items.length === 1 ? '' : 's'} ${listed(items, MOST_ITEMS)}`;
}
