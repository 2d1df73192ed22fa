import { Failure } from '../service/failure/failure';
import { listed } from '../common/listed';
import type { Result } from './item';

/** The option, as advice calls it. */
const RESEND = "'Resend if Unknown'";

/** What became of all items of a run, in numbers that add up to them, and how to go on. */
export function sumOf(ends: Result[], hasKeys: boolean): string {
	const failures = ends.filter((end) => end instanceof Failure);
	const unknown = failures.filter(({ outcome }) => outcome === 'unknown');
	const untried = ends.filter((end) => !end).length;
	const sent = ends.length - failures.length - untried;
	// Where another Retry has the record, no option sends what is in doubt, and its advice names none.
	const isOnlyInDoubt = unknown.length === ends.length - sent;
	if (isOnlyInDoubt && unknown.every(({ advice }) => advice.includes(RESEND))) {
		const who = listed(unknown, 10, ({ details }) => details.toId ?? 'they');
		const are = unknown.length > 1;
		const again = hasKeys
			? `run once with ${RESEND}${are ? ', and without those who did' : ''}`
			: are
				? 'execute the workflow with only those who did not'
				: `retry this execution with ${RESEND}`;
		const [others, done] =
			sent > 0 ? ['The others are done. ', 'so are you'] : ['', 'you are done'];
		return `${others}If ${who} got it, ${done}; if not, ${again}.`;
	}
	const counts = [
		[sent, hasKeys ? 'sent or skipped' : 'sent'],
		[unknown.length, 'may have been sent'],
		[failures.length - unknown.length, 'failed'],
		[untried, 'not tried'],
	] as const;
	const told = counts.flatMap(([count, words]) => (count > 0 ? `${count} ${words}` : []));
	const sum = `Messages of this run: ${told.join(', ')}.`;
	if (hasKeys && !isOnlyInDoubt)
		return `${sum} Execute the workflow again: what went out under this Send Once Key is skipped.`;
	if (hasKeys || (sent === 0 && unknown.length === 0)) return sum;
	return `${sum} Retry of this execution does not send these again; a new execution does.`;
}
