import { useVirtualN8n } from '../../support/virtual';

import { stillUnknown, withRetries } from '../../../nodes/Workchat/execution/retry';
import { StopSignal } from '../../../nodes/Workchat/execution/stopSignal';
import { Throttle } from '../../../nodes/Workchat/execution/throttle';
import { Failure } from '../../../nodes/Workchat/service/failure/failure';
import { all } from '../../support/messages';
import { about } from '../../support/about';

const n8n = useVirtualN8n();

/** The failure of one try. */
const failure = (outcome: Failure['outcome'], message = 'busy', retryAfter?: number) =>
	new Failure(message, { outcome, origin: 'service', advice: outcome, retryAfter });
const busyFor = (retryAfter?: number) => failure('rejected', 'busy', retryAfter);

/** Fails once for each of these. @returns the result, and the waits between the tries */
async function fail(failures: Error[], interval = 0) {
	const stopSignal = new StopSignal();
	const at: number[] = [];
	const attempt = async () => {
		at.push(n8n.clock.now);
		return await Promise.reject(failures[at.length - 1]!);
	};
	const throttle = new Throttle(interval, stopSignal);
	const secrets = ['fake-secret'];
	const rules = { maxTries: failures.length, throttle, stopSignal, shouldRetry: () => true };
	const end = withRetries(attempt, { ...rules, about: { ...about, secrets } });
	const result = await n8n.until(end);
	return { result, waits: at.slice(1).map((time, index) => time - at[index]!) };
}

test('the node waits twice as long before each retry, partly at random, up to 30 s', async () => {
	const firsts = new Set<number | undefined>();
	for (let run = 0; run < 20; run++) {
		const { waits } = await fail(all(12, busyFor()));
		expect(waits).toHaveLength(11);
		for (const [index, wait] of waits.entries()) {
			const full = Math.min(500 * 2 ** index, 30_000);
			expect(wait).toBeGreaterThanOrEqual(full / 2);
			expect(wait).toBeLessThanOrEqual(full + 0.1);
		}
		firsts.add(waits[0]);
	}
	expect(firsts.size).toBeGreaterThan(15);
});

test('the node waits as long as the service asks, shorter or longer', async () => {
	const asks = [1, 60_000, 7000, 7000];
	expect((await fail(asks.map(busyFor))).waits).toEqual(asks.slice(0, -1));
});

test('Request Interval applies to retries, too', async () => {
	expect((await fail(all(3, busyFor()), 5000)).waits).toEqual([5000, 5000]);
});

test('after an unknown outcome, an item stays unknown, whatever a later try or a Retry says', async () => {
	const outcomes = ['notSent', 'unknown', 'unknown', 'rejected', 'rejected'] as const;
	const { result } = await fail(outcomes.map((one, index) => failure(one, `try ${index + 1}`)));
	const message = 'try 3. Tried again: try 5';
	expect(result).toMatchObject({ outcome: 'unknown', message, advice: 'unknown' });
	const [refused, lost] = [failure('rejected', 'a Retry'), failure('unknown', 'it was lost')];
	const both = { outcome: 'unknown', message: 'try 3. Tried again: a Retry', advice: 'unknown' };
	expect(stillUnknown(result as Failure, refused)).toMatchObject(both);
	expect(stillUnknown(result as Failure, lost)).toBe(lost);
});

test('an unexpected error shows no secret', async () => {
	const { result } = await fail([new TypeError('cannot read "fake-secret"')]);
	const message = 'Something unexpected happened: cannot read "***"';
	expect(result).toMatchObject({ outcome: 'unknown', message });
});
