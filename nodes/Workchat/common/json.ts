import type { GenericValue, IDataObject } from 'n8n-workflow';

import { Breather } from './breather';

/** Values of a callback, an item or an answer that are looked through: more would hold n8n for long. */
export const MOST_VALUES = 200_000;

/** What begins a text, or a whole number that may be too long. */
const OUTSIDE_OF_TEXT = /"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE+-])/g;
/** What ends a text, or what does not, as it is escaped. */
const IN_TEXT = /"|\\./g;

/** The value of JSON, read in turns with others; whole numbers beyond 2^53 as text, to keep all digits. */
export async function parseJson(json: string): Promise<GenericValue> {
	const breather = new Breather();
	const pieces: string[] = [];
	let [at, taken, isText] = [0, 0, false];
	for (;;) {
		if (breather.isDue()) await breather.breathe();
		const next = isText ? IN_TEXT : OUTSIDE_OF_TEXT;
		next.lastIndex = at;
		const [token] = next.exec(json) ?? [];
		if (token === undefined) break;
		at = next.lastIndex;
		if (token === '"') isText = !isText;
		else if (!isText && !Number.isSafeInteger(Number(token))) {
			pieces.push(json.slice(taken, at - token.length), `"${token}"`);
			taken = at;
		}
	}
	return JSON.parse(pieces.join('') + json.slice(taken));
}

/** The value of JSON, if it is an object, a list or a text: a bare number is no wrapping. */
export async function jsonIn(text: string): Promise<GenericValue> {
	return /^\s*["{[]/.test(text) ? await parseJson(text).catch(() => undefined) : undefined;
}

/** Characters of a text that is looked into, and how often texts may be wrapped in one another. */
const LONGEST_TEXT = 1_000_000;
const MOST_LAYERS = 5;

/** What is inside a text: the value of JSON; any other text, or value, is only itself. */
export async function inside(value: GenericValue, longest = LONGEST_TEXT): Promise<GenericValue> {
	for (let layer = 0; typeof value === 'string' && layer < MOST_LAYERS; layer++) {
		const inner = value.length > longest ? undefined : await jsonIn(value);
		if (inner === undefined) break;
		value = inner;
	}
	return value;
}

/** Whether it holds values: an object or a list, and no bytes. */
export function isObject(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
}
