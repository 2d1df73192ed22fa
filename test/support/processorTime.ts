/** Milliseconds of clock or processor, the lesser: other programs or Node's threads add to one. */
async function timeOf<T>(work: (input: T) => unknown, input: T): Promise<number> {
	const [began, before] = [performance.now(), process.cpuUsage()];
	await work(input);
	const { user, system } = process.cpuUsage(before);
	return Math.min(performance.now() - began, (user + system) / 1000);
}

const FACTOR = 8;
/** In time, for {@link FACTOR} times the size: linear work takes 8 times as long, quadratic 64. */
const MOST_GROWTH = 24;
/** Milliseconds; what takes less is all noise. */
const LEAST_TIME = 5;
/** Milliseconds. */
const ENDLESS = 500;
/** What else the machine does makes a run longer, never shorter. */
const MOST_RUNS = 4;

/** Throws where the time for `work` grows faster than the size of its input. */
export async function expectLinear<T>(
	work: (input: T) => unknown,
	inputOf: (size: number) => T,
	size: number,
): Promise<void> {
	// Small sizes first, as what is exponential would never end.
	for (let smaller = 1; smaller < size * FACTOR; smaller += smaller < 64 ? 1 : 3 * smaller) {
		let shortest = Infinity;
		for (let run = 0; run < MOST_RUNS && shortest >= ENDLESS; run++)
			shortest = Math.min(shortest, await timeOf(work, inputOf(smaller)));
		expect(shortest).toBeLessThan(ENDLESS);
	}
	let once = Infinity;
	let often = Infinity;
	const growth = () => often / Math.max(once, LEAST_TIME);
	for (let run = 0; run < MOST_RUNS && !(growth() < MOST_GROWTH); run++) {
		once = Math.min(once, await timeOf(work, inputOf(size)));
		often = Math.min(often, await timeOf(work, inputOf(size * FACTOR)));
	}
	expect(growth()).toBeLessThan(MOST_GROWTH);
}
