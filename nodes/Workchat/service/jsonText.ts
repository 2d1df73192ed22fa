import { Breather } from './breather';

/** `JSON.parse` makes them in one go, in some 50 ms. No response and no field comes near it. */
const MOST_VALUES = 300_000;
/** Steps between two looks at the clock. */
const STEPS = 10_000;

/** Whether a JSON text has so many values that to parse it would hold n8n's event loop for long. */
export async function hasTooManyValues(json: string): Promise<boolean> {
	const breather = new Breather();
	const quoteFrom = finderOf(json, '"');
	const escapeFrom = finderOf(json, '\\');
	let isText = false;
	let values = 0;
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
		else if (character === ',' || character === '[' || character === '{') values++;
		if (values > MOST_VALUES) return true;
	}
	return false;
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
