import { Breather } from '../breather';

/** `JSON.parse` makes them in one go, in some 50 ms. No response and no field comes near it. */
const MOST_VALUES = 300_000;
/** Of what stands in each other (RFC 8259, section 9, leaves it to the parser). */
const MOST_DEPTH = 10_000;
/** Steps between two looks at the clock. */
const STEPS = 10_000;

/**
 * What a JSON text has too much of: to parse it would hold n8n's event loop for long.
 * @returns `brackets` where so many are open that nobody wrote it as JSON
 */
export async function excessOf(json: string): Promise<'values' | 'brackets' | undefined> {
	const breather = new Breather();
	const quoteFrom = finderOf(json, '"');
	const escapeFrom = finderOf(json, '\\');
	let isText = false;
	let values = 0;
	let depth = 0;
	for (let at = 0, steps = 1; at < json.length; at++, steps++) {
		if (steps % STEPS === 0 && breather.isDue()) await breather.breathe();
		if (isText) {
			at = Math.min(quoteFrom(at), escapeFrom(at));
			if (json[at] === '\\') at++;
			else isText = false;
			continue;
		}
		const character = json[at];
		if (character === '"') isText = true;
		else if (character === ',') values++;
		else if (character === ']' || character === '}') depth--;
		else if (character === '[' || character === '{') {
			values++;
			depth++;
		}
		if (values > MOST_VALUES) return depth > MOST_DEPTH ? 'brackets' : 'values';
	}
	return undefined;
}

/** Finds where a mark stands next, from places that only grow. */
function finderOf(text: string, mark: string): (from: number) => number {
	let found = -1;
	return (from) => {
		if (found < from) found = text.indexOf(mark, from);
		if (found < 0) found = text.length;
		return found;
	};
}
