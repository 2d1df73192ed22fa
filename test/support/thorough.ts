/** Whether this is `npm run test:thorough`, which does all of what `npm test` does a sample of. */
export const isThorough = process.env.TEST_THOROUGH === 'true';

/** What is heavy by nature: all of it in `npm run test:thorough`, the rest of the time a sample. */
export function thoroughly<T>(all: T, sample: T): T {
	return isThorough ? all : sample;
}

/** Every n-th of the cases, so that a sample has some of each kind. */
export function sampleOf<T>(cases: readonly T[], every: number): T[] {
	return cases.filter((_, index) => isThorough || index % every === 0);
}
