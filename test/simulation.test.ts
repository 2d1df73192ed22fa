import { simulate } from '../dev/simulation/simulate';
import { thoroughly } from './thorough';

/**
 * Several executions and Retries, on several processes with a memory that fails, in virtual time. What
 * no node can prevent is counted by `npm run simulate`, and stands in docs/delivery.md.
 */
test('never twice, never a false word, and an end to everything', async () => {
	const wrong: string[] = [];
	for (let seed = 1; seed <= thoroughly(4000, 400); seed++) {
		const { broken } = await simulate(seed);
		wrong.push(...broken.map(({ kind, text }) => `${seed} ${kind}: ${text}`));
	}
	expect(wrong).toEqual([]);
}, 600_000);
