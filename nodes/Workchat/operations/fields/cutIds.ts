/** A long number in a text: 15 digits, of which a spreadsheet keeps no more, and the rest. */
const LONG = /(?<![\da-f])\d{15}\d+(?![\da-f])/gi;
const CUT = /^\d{15}0+$/;
/** Of so many lists of true IDs, one may be taken for cut. */
const ONE_IN = 1000;

/** A long number in a text that ends as a spreadsheet leaves it: in zeros behind the 15th digit. */
export function cutIn(text: string): string | undefined {
	return text.match(LONG)?.find((number) => CUT.test(number));
}

/**
 * How many digits those long numbers in these texts have of which more are cut than chance explains:
 * one true ID of 16 digits in ten ends in zeros, one of 17 digits in a hundred.
 */
export function lengthsOfCut(texts: string[]): number[] {
	const numbers = [...new Set(texts.flatMap((text) => text.match(LONG) ?? []))];
	return [...new Set(numbers.map(({ length }) => length))].filter((length) => {
		const all = numbers.filter((number) => number.length === length);
		const expected = all.length * 10 ** (15 - length);
		const cut = all.filter((number) => CUT.test(number)).length;
		// Fewer than these by chance: Poisson's distribution.
		let [fewer, next] = [0, Math.exp(-expected)];
		for (let count = 1; count <= cut; count++) {
			fewer += next;
			next *= expected / count;
		}
		return 1 - fewer < 1 / ONE_IN;
	});
}
