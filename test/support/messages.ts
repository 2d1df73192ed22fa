import type { NodeSettings } from '../../dev/engine/workflows';

/** Campaigns: whom messages go to, and what became of them. */

type Json = Record<string, unknown>;

/** A node that goes on after errors. */
export const CONTINUE: NodeSettings = { onError: 'continueRegularOutput' };

/** A node that n8n runs again on errors. */
export const retrying = (
	maxTries: number,
	onError: NodeSettings['onError'] = 'stopWorkflow',
): NodeSettings => ({ retryOnFail: true, maxTries, waitBetweenTries: 1, onError });

/** Recipients as `recipients` names them, in this order. */
export const customers = (...numbers: number[]) => numbers.map((number) => `customer-${number}`);

/** The first recipients. */
export const toIds = (count: number) =>
	Array.from({ length: count }, (_, index) => `customer-${index + 1}`);

/** So many of the same, as the ends of a campaign. */
export const all = <T>(count: number, end: T): T[] => Array<T>(count).fill(end);

/** How each item ended, in one word: its outcome where it failed. */
export function endsOf(jsons: Json[]): string[] {
	return jsons.map(({ error, skipped }) =>
		error ? (error as { outcome: string }).outcome : skipped ? 'skipped' : 'sent',
	);
}
