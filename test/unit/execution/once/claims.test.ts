import { recipients } from '../../../../dev/engine/workflows';
import { useVirtualN8n, type Fate } from '../../../support/virtual';

/** Messages are claimed a little ahead of their sending. */

const n8n = useVirtualN8n();

/** The most messages that were claimed and had not reached the service yet, whenever one did. */
async function aheadOf(toIds: string[], maxConcurrency: number) {
	const begun = new Map<string, number>();
	let most = 0;
	n8n.answer = async (toId): Promise<Fate> => {
		begun.set(toId, (begun.get(toId) ?? 0) + 1);
		// A key is the number of a recipient's message.
		const isAhead = (entry: string) => {
			const [, toId = '', number] = /"([^"]*)","(\d+)"\] open$/.exec(entry) ?? [];
			return Number(number) >= (begun.get(toId) ?? 0);
		};
		// Of many at once, at every so many of them.
		if (n8n.asked.length % Math.ceil(maxConcurrency / 10) === 0)
			most = Math.max(most, n8n.openEntries().filter(isAhead).length);
		await n8n.clock.sleep(20);
		return 'accepted';
	};
	const items = toIds.map((toId, index) => ({
		toId,
		sendOnceKey: String(toIds.slice(0, index).filter((other) => other === toId).length),
	}));
	const run = await n8n.run(items, { sendOnceKey: 'of each', maxConcurrency });
	expect(new Set(run.ends)).toEqual(new Set(['sent']));
	return { most, took: run.took };
}

test.each([
	[1, 10],
	[5, 20],
	[15, 60],
	[150, 400],
])('with %d at once, %d at most run ahead of those in work', async (maxConcurrency, ahead) => {
	const toIds = recipients(ahead * 3).map(({ toId }) => toId);
	const { most } = await aheadOf(toIds, maxConcurrency);
	expect(most).toBeGreaterThan(ahead / 2);
	expect(most).toBeLessThanOrEqual(ahead + maxConcurrency);
});

test('they run ahead in the order of sending, not of the list', async () => {
	const toIds = ['customer-1', 'customer-2'].flatMap((toId) => Array<string>(60).fill(toId));
	const { most, took } = await aheadOf(toIds, 2);
	expect(most).toBeLessThanOrEqual(12);
	// Whoever had to wait for a claim would wait 100 ms each time.
	expect(took).toBeLessThan(2000);
});

test('one slow call does not hold them up for long', async () => {
	let calls = 0;
	const isCheck = () => n8n.memory!.calls.at(-1) === 'check';
	n8n.beginMemory(() => (isCheck() && ++calls === 20 ? 1000 : 0));
	const { took, ...run } = await n8n.run(recipients(60), { sendOnceKey: 'spring' });
	expect(run.ends).toEqual(Array(60).fill('sent'));
	expect(calls).toBeGreaterThan(20);
	// Eight times as long would be certain, if all calls took so long.
	expect(took).toBeLessThan(6000);
});

test('they take few calls', async () => {
	await n8n.run(recipients(100), { sendOnceKey: 'spring', maxConcurrency: 10 });
	expect(n8n.memory!.calls.length).toBeLessThan(100);
});
