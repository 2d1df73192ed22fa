/** Of many combinations every n-th, so that a sample has some of each kind. */
export const everyNth = <T>(all: readonly T[], n: number): T[] =>
	all.filter((_, index) => index % n === 0);
