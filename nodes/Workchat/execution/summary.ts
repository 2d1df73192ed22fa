import { Failure } from '../service/failure/failure';
import type { Result } from './item';

/** What became of all items of a run, in numbers that add up to them. */
export function sumOf(ends: Result[], hasKeys: boolean): string {
	const failures = ends.filter((end) => end instanceof Failure);
	const unknown = failures.filter(({ outcome }) => outcome === 'unknown').length;
	const failed = failures.length - unknown;
	const untried = ends.filter((end) => !end).length;
	const sent = ends.length - failures.length - untried;
	const done = hasKeys ? 'sent or skipped' : 'sent';
	const sum = `Messages of this run: ${sent} ${done}, ${unknown} may have been sent, ${failed} failed, ${untried} not tried.`;
	if (hasKeys)
		return `${sum} Execute the workflow again: what went out under this Send Once Key is skipped.`;
	if (sent === 0 && unknown === 0) return sum;
	return `${sum} Retry of this execution does not send these again; a new execution does.`;
}
