import { useVirtualN8n, type Fate } from '../../support/virtual';

import { recipients } from '../../../dev/engine/workflows';
import { withRetries } from '../../../nodes/Workchat/execution/retry';
import { StopSignal } from '../../../nodes/Workchat/execution/stopSignal';
import { Throttle } from '../../../nodes/Workchat/execution/throttle';
import { wording } from '../../support/wording';

const n8n = useVirtualN8n();

/** When the messages leave, of which the first takes so many milliseconds. */
async function starts(count: number, requestInterval: number, maxConcurrency: number, first = 0) {
	const at: number[] = [];
	n8n.answer = async (toId): Promise<Fate> => {
		at.push(n8n.clock.now);
		if (toId === 'customer-1') await n8n.clock.sleep(first);
		return 'accepted';
	};
	await n8n.run(recipients(count), { requestInterval, maxConcurrency });
	return at;
}

test.each([1, 5])('Request Interval keeps starts apart, %d at once', async (maxConcurrency) => {
	expect(await starts(6, 50, maxConcurrency)).toEqual([0, 50, 100, 150, 200, 250]);
});

test('Request Interval makes up for no time that was lost', async () => {
	expect(await starts(4, 300, 1, 2000)).toEqual([0, 2000, 2300, 2600]);
});

test('Request Interval holds for further tries too', async () => {
	const stopSignal = new StopSignal();
	const at: number[] = [];
	const attempt = async () => {
		at.push(n8n.clock.now);
		return await Promise.reject(new Error('no'));
	};
	const throttle = new Throttle(5000, stopSignal);
	const rules = { maxTries: 3, mayRepeat: () => true, wording, throttle, stopSignal };
	await n8n.until(withRetries(attempt, rules));
	expect(at).toEqual([0, 5000, 10_000]);
});

test('the stop ends a wait at once', async () => {
	const stopSignal = new StopSignal();
	n8n.clock.after(700, undefined, () => stopSignal.stop());
	await n8n.until(stopSignal.sleep(60_000));
	expect(n8n.clock.now).toBe(700);
	await n8n.until(stopSignal.sleep(60_000));
	expect(n8n.clock.now).toBe(700);
});
