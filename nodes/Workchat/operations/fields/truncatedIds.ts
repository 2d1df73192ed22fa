// A spreadsheet keeps 15 digits of a number: 10696051234567890 becomes 10696051234567800.

/** A number of more than 15 digits inside a text, but not part of a hexadecimal ID. */
const LONG_NUMBER = /(?<![\da-f])\d{15}\d+(?![\da-f])/gi;
const ENDS_IN_ZEROS = /^\d{15}0+$/;

/** Finds a long number in a text whose digits after the 15th are all zeros. */
export function findTruncated(text: string): string | undefined {
	return text.match(LONG_NUMBER)?.find((number) => ENDS_IN_ZEROS.test(number));
}

/**
 * Returns the lengths of those long numbers, such as 17 digits, of which at least three, and more than
 * half, end in zeros. Of correct IDs, one in ten of 16 digits does, and one in a hundred of 17 digits.
 */
export function findTruncatedLengths(texts: string[]): number[] {
	const numbers = [...new Set(texts.flatMap((text) => text.match(LONG_NUMBER) ?? []))];
	const lengths = [...new Set(numbers.map(({ length }) => length))];
	return lengths.filter((length) => {
		const all = numbers.filter((number) => number.length === length);
		const truncated = all.filter((number) => ENDS_IN_ZEROS.test(number));
		return truncated.length >= 3 && truncated.length > all.length / 2;
	});
}
