import { listed } from '../common/listed';
import { Failure } from '../service/failure/failure';
import type { Result } from './item';

const RESEND = "'Resend if Unknown'";

/** What became of all items of a run, in numbers that add up to them, and how to go on. */
export function sumOf(ends: Result[], hasKeys: boolean): string {
	const failures = ends.filter((end) => end instanceof Failure);
	const unknown = failures.filter(({ outcome }) => outcome === 'unknown');
	const untried = ends.filter((end) => !end).length;
	const sent = ends.length - failures.length - untried;
	const isOnlyInDoubt = unknown.length === ends.length - sent;
	// Where another Retry has the record, no option sends them, and their advice names none.
	if (isOnlyInDoubt && unknown.every(({ fix }) => fix === 'resend')) {
		const who = listed(unknown, 10, ({ details }) => String(details.toId));
		const [others, done] =
			sent > 0 ? ['The others are done. ', 'so are you'] : ['', 'you are done'];
		return `${others}If ${who} got it, ${done}; if not, run once with ${RESEND} and only those who did not.`;
	}
	const counts = {
		[hasKeys ? 'sent or skipped' : 'sent']: sent,
		'may have been sent': unknown.length,
		failed: failures.length - unknown.length,
		'not tried': untried,
	};
	const told = Object.entries(counts).flatMap(([what, count]) => (count ? `${count} ${what}` : []));
	const sum = `Messages of this run: ${told.join(', ')}.`;
	if (hasKeys && !isOnlyInDoubt)
		return `${sum} Execute the workflow again: what went out under this Send Once Key is skipped.`;
	if (hasKeys || (sent === 0 && unknown.length === 0)) return sum;
	return `${sum} Retry of this execution does not send these again; a new execution does.`;
}
