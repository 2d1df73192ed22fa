import { formatList } from '../common/formatList';
import { Failure } from '../service/failure/failure';
import type { Result } from './item';

const RESEND = "'Resend if Unknown'";

/** Counts the results of all items of a run, and says what to do next. */
export function summarize(results: Result[], hasKeys: boolean): string {
	const failures = results.filter((result) => result instanceof Failure);
	const unknown = failures.filter(({ outcome }) => outcome === 'unknown');
	const untried = results.filter((result) => !result).length;
	const sent = results.length - failures.length - untried;
	const areOthersSent = unknown.length === results.length - sent;
	// If another Retry has taken over, no option sends them, and their advice names none.
	if (areOthersSent && unknown.every(({ fix }) => fix === 'resend')) {
		const who = formatList(unknown, 10, ({ details }) => String(details.toId));
		const others = sent > 0 ? 'All other messages are done. ' : '';
		return `${others}If ${who} got it, nothing is left to do. If not, run once with ${RESEND} and only the recipients who did not get it.`;
	}
	const counts = {
		[hasKeys ? 'sent or skipped' : 'sent']: sent,
		'may have been sent': unknown.length,
		failed: failures.length - unknown.length,
		'not tried': untried,
	};
	const list = Object.entries(counts).flatMap(([what, count]) => (count ? `${count} ${what}` : []));
	const sum = `Messages of this run: ${list.join(', ')}.`;
	if (hasKeys && !areOthersSent)
		return `${sum} Execute the workflow again: it skips messages that were sent with this Send Once Key.`;
	if (hasKeys || (sent === 0 && unknown.length === 0)) return sum;
	return `${sum} A Retry does not repeat messages that were sent or may have been sent. A new execution does.`;
}
