import { formatList } from '../common/formatList';
import { Failure } from '../service/failure/failure';
import { itemLabel, type Item, type Result } from './item';

type FailedItem = [itemIndex: number, failure: Failure];

export function failedOf(results: Array<Item | Result>): FailedItem[] {
	return results.flatMap((one, itemIndex) => (one instanceof Failure ? [[itemIndex, one]] : []));
}

/** "customer-4"; without a recipient "item 4". */
export function itemName([itemIndex, { details }]: FailedItem): string {
	return details.toId ?? itemLabel(itemIndex);
}

/** "customer-4, customer-6". */
export function listItems(failed: FailedItem[]): string {
	return formatList(failed, 10, itemName);
}

/** Counts the results of all messages of a run, names those that failed, and says what to do next. */
export function summarize(results: Result[], hasKeys: boolean): string {
	if (results.length === 1) return '';
	const failures = failedOf(results);
	const unknown = failures.filter(([, { outcome }]) => outcome === 'unknown');
	const failed = failures.filter((one) => !unknown.includes(one));
	const untried = results.filter((result) => !result).length;
	const sent = results.length - failures.length - untried;
	const areOthersSent = failed.length === 0 && untried === 0;
	// If another Retry has taken over, no option sends them, and their advice names none.
	if (areOthersSent && unknown.every(([, { fix }]) => fix === 'resend')) {
		const others = sent > 0 ? 'All other messages are done.' : '';
		if (unknown.length === 1) return others;
		return `${others} Ask ${listItems(unknown)}, and run once with 'Resend if Unknown' and only those who did not get it.`.trim();
	}
	const counts = [
		sent > 0 ? `${sent} ${hasKeys ? 'sent or skipped' : 'sent'}` : '',
		unknown.length > 0 ? `${unknown.length} may have been sent (${listItems(unknown)})` : '',
		failed.length > 0 ? `${failed.length} failed (${listItems(failed)})` : '',
		untried > 0 ? `${untried} not tried` : '',
	];
	const sum = `Messages of this run: ${counts.filter(Boolean).join(', ')}.`;
	if (hasKeys && !areOthersSent)
		return `${sum} Execute the workflow again with this Send Once Key: it skips messages that were sent.`;
	if (hasKeys || (sent === 0 && unknown.length === 0)) return sum;
	return `${sum} A Retry does not repeat messages that were or may have been sent, but a new execution does.`;
}
