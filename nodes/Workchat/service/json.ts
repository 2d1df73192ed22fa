import { TooManyValues } from './bound';
import { Breather } from './breather';

/** What begins a text, or a whole number that may be too long. */
const OUTSIDE_OF_TEXT = /"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE+-])/g;
/** Also what stands between values, and what begins those that hold others, to count them. */
const COUNTED = RegExp(`[,[{]|${OUTSIDE_OF_TEXT.source}`, 'g');
/** What ends a text, or what does not, as it is escaped. */
const IN_TEXT = /"|\\./g;

/**
 * The value of JSON, with whole numbers beyond 2^53 as text: as numbers they lose their last digits.
 * Megabytes are read in turns with others.
 * @param mostValues throws a {@link TooManyValues} where there are surely more
 */
export async function parseJson(json: string, mostValues = Infinity): Promise<unknown> {
	const breather = new Breather();
	const pieces: string[] = [];
	const outside = mostValues === Infinity ? OUTSIDE_OF_TEXT : COUNTED;
	let [at, taken, isText, commas, holders] = [0, 0, false, 0, 0];
	for (;;) {
		if (breather.isDue()) await breather.breathe();
		const next = isText ? IN_TEXT : outside;
		next.lastIndex = at;
		const [token] = next.exec(json) ?? [];
		if (token === undefined) break;
		at = next.lastIndex;
		if (token === '"') isText = !isText;
		else if (token === ',') commas++;
		else if (token === '[' || token === '{') holders++;
		else if (!isText && !Number.isSafeInteger(Number(token))) {
			pieces.push(json.slice(taken, at - token.length), `"${token}"`);
			taken = at;
		}
		// The outermost value does not count.
		if (commas >= mostValues || holders > mostValues + 1) throw new TooManyValues();
	}
	return JSON.parse(pieces.join('') + json.slice(taken));
}
