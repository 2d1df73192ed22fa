import { formatList } from '../common/formatList';
import { Failure } from '../service/failure/failure';
import { itemLabel, type Result } from './item';

type FailedItem = [itemIndex: number, failure: Failure];

export function failedOf(results: Result[]): FailedItem[] {
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

/** The part of an error about one item that is about its run. */
export interface Summary {
	/** "3 sent, 1 may have been sent (customer-4), 5 not tried"; empty without other items. */
	others: string;
	/** How to run the node again, in one sentence; may be empty. */
	nextStep: string;
}

const SAME_DATA =
	'Retry uses the same data again: corrections in it take effect in a new execution.';
const SEND_REST =
	'To send the rest, retry (with the same data), or execute the workflow without the messages that were or may have been sent.';
const SEND_REST_WITH_KEY =
	'Execute the workflow again with the same Send Once Key: it skips messages that were sent.';
const RESEND = "If a message did not arrive, run only that one again, with 'Resend if Unknown'.";

/** The next step after an unknown outcome; empty if no option resends the message. */
export function resendStep({ fix }: Failure): string {
	return fix === 'resend' ? RESEND : '';
}

/** @param results of all items of the run; `failure` is that of the item in the error */
export function summarize(
	failure: Failure,
	itemIndex: number,
	results: Result[],
	{ isRepeatable, hasKeys }: { isRepeatable: boolean; hasKeys: boolean },
): Summary {
	const failures = failedOf(results).filter(([index]) => index !== itemIndex);
	const unknown = failures.filter(([, { outcome }]) => outcome === 'unknown' && !isRepeatable);
	const failed = failures.filter((one) => !unknown.includes(one));
	const untried = results.filter((result, index) => !result && index !== itemIndex).length;
	const sent = results.length - 1 - failures.length - untried;
	const sentWord = isRepeatable ? 'done' : hasKeys ? 'sent or skipped' : 'sent';
	const counts = [
		sent > 0 ? `${sent} ${sentWord}` : '',
		unknown.length > 0 ? `${unknown.length} may have been sent (${listItems(unknown)})` : '',
		failed.length > 0 ? `${failed.length} failed (${listItems(failed)})` : '',
		untried > 0 ? `${untried} not tried` : '',
	];
	const others = counts.filter(Boolean).join(', ');
	const isUnknown = failure.outcome === 'unknown';
	const isRestSent = failed.length === 0 && untried === 0;
	if (isUnknown && isRestSent) return { others, nextStep: resendStep(failure) };
	const mayRepeat = !isRepeatable && (isUnknown || sent > 0 || unknown.length > 0);
	if (!mayRepeat) return { others, nextStep: failure.fix === 'values' ? SAME_DATA : '' };
	return { others, nextStep: hasKeys ? SEND_REST_WITH_KEY : SEND_REST };
}
