import { useVirtualN8n, type Fate } from '../../support/virtual';

import { recipients } from '../../../dev/engine/workflows';

const n8n = useVirtualN8n();

/** How long the first message takes, in milliseconds, and when each one starts. */
test.each([
	['separates the starts of five concurrent messages', 50, 5, 0, [0, 50, 100, 150]],
	['does not make up for lost time', 300, 1, 2000, [0, 2000, 2300, 2600]],
])('Request Interval %s', async (_, requestInterval, maxConcurrency, first, starts) => {
	const at: number[] = [];
	n8n.answer = async (toId): Promise<Fate> => {
		at.push(n8n.clock.now);
		if (toId === 'customer-1') await n8n.clock.sleep(first);
		return 'accepted';
	};
	await n8n.run(recipients(4), { requestInterval, maxConcurrency });
	expect(at).toEqual(starts);
});
