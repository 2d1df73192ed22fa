/** Values of a callback or an answer that are looked through: more would hold n8n for long. */
export const MOST_VALUES = 200_000;

/** There are more values; its message completes a sentence that begins with what holds them. */
export class TooManyValues extends Error {
	constructor() {
		const most = MOST_VALUES.toLocaleString('en-US');
		super(`holds more than ${most} values, which is too much to look through`);
	}
}

/** For the catch of a promise: returns a {@link TooManyValues}, throws any other error again. */
export function onlyTooMany(error: unknown): TooManyValues {
	if (error instanceof TooManyValues) return error;
	throw error;
}

/** Counts values before they are spread out. */
export class Bound {
	private left = MOST_VALUES;

	/** The keys of an object or a list; throws {@link TooManyValues}. */
	keysOf(value: object): string[] {
		// Each index of a list becomes a text.
		const isLong = Array.isArray(value) && value.length > this.left;
		const keys = isLong ? [] : Object.keys(value);
		this.left -= keys.length;
		if (isLong || this.left < 0) throw new TooManyValues();
		return keys;
	}
}
