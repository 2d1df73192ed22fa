import { expectNoBreach } from './property';

/** `PLANS=4000 npm test -- simulation`: that many plans; with another SEED others. */
const { PLANS = '0', SEED = '1' } = process.env;
const SHARES = 4;
const HOURS = 3_600_000;

/** Each share has a test file, as Jest runs files side by side. */
export function testShare(share: number): void {
	const count = Math.ceil(Number(PLANS) / SHARES);
	const seed = Number(SEED) * SHARES + share;
	const testOrSkip = count > 0 ? test : test.skip;
	testOrSkip(
		`${count} plans of seed ${seed} break no promise`,
		async () => await expectNoBreach(seed, count),
		3 * HOURS,
	);
}
