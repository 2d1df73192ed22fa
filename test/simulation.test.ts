import { simulate } from '../dev/simulation/simulate';
import { thoroughly } from './thorough';

/** Here a message was let go of a second time, when another execution had claimed it. */
const FOUND = 11_020_078;

/**
 * Several executions and Retries, on several processes with a memory that fails, in virtual time. What
 * no node can prevent is counted by `npm run simulate`, and stands in docs/delivery.md.
 */
test('never twice, never a false word, and an end to everything', async () => {
	const wrong: string[] = [];
	for (let seed = 0; seed <= thoroughly(4000, 400); seed++) {
		const { broken } = await simulate(seed === 0 ? FOUND : seed);
		wrong.push(...broken.map(({ kind, text }) => `${seed} ${kind}: ${text}`));
	}
	expect(wrong).toEqual([]);
}, 600_000);
