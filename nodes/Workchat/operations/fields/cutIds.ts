/** A long number in a text: 15 digits, of which a spreadsheet keeps no more, and the rest. */
const LONG = /(?<![\da-f])\d{15}(\d+)(?![\da-f])/gi;
const ZEROS = /^0+$/;
/** Of so many lists of true IDs, one may be taken for cut. */
const ONE_IN = 1000;

function restsIn(text: string): string[] {
	return [...text.matchAll(LONG)].map(([, rest = '']) => rest);
}

/** Of a text with a long number that ends as a spreadsheet leaves it, the zeros behind the 15th digit. */
export function cutEnd(text: string): string | undefined {
	return restsIn(text).find((rest) => ZEROS.test(rest));
}

/**
 * Whether more of the long numbers in these texts end in zeros behind the 15th digit than chance
 * explains: one true ID of 16 digits in ten does, one of 17 digits in a hundred.
 */
export function areCut(texts: string[]): boolean {
	const rests = [...new Set(texts)].flatMap(restsIn);
	const cut = rests.filter((rest) => ZEROS.test(rest)).length;
	const expected = rests.reduce((sum, { length }) => sum + 10 ** -length, 0);
	// Fewer than these by chance: Poisson's distribution.
	let [fewer, next] = [0, Math.exp(-expected)];
	for (let count = 0; count < cut; count++) {
		fewer += next;
		next *= expected / (count + 1);
	}
	return 1 - fewer < 1 / ONE_IN;
}
