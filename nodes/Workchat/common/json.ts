import { jsonParse, type GenericValue, type IDataObject } from 'n8n-workflow';

/** Values that are read and looked through for one callback, item or answer: more would hold n8n for long. */
export const MOST_VALUES = 200_000;

/** There are more values than that. */
export class TooMuch extends Error {
	constructor() {
		super('There are more than 200,000 values, which is too much to look through');
	}
}

/** Counts the values of one callback, item or answer, with those in its texts. */
export class Bound {
	constructor(public left = MOST_VALUES) {}

	take(values: number): void {
		if ((this.left -= values) < 0) throw new TooMuch();
	}
}

/** What begins a text, what has one value more (a comma, a list or object with any), or a number that may be too long. */
const OUTSIDE_OF_TEXT = /["]|,|[[{](?!\s*[\]}])|(?<![\d.eE+-])-?\d{16,}(?![\d.eE+-])/g;
/** A text up to its end, in pieces that V8's stack has room for. */
const IN_TEXT = /(?:[^"\\]+|(?:\\.)+){0,9999}/y;

/** JSON with whole numbers beyond 2^53 as text, to keep all digits. Throws {@link TooMuch}. */
function readable(json: string, bound: Bound): string {
	const pieces: string[] = [];
	let [at, taken] = [0, 0];
	for (;;) {
		OUTSIDE_OF_TEXT.lastIndex = at;
		const [token] = OUTSIDE_OF_TEXT.exec(json) ?? [];
		if (token === undefined) break;
		at = OUTSIDE_OF_TEXT.lastIndex;
		if (token === '"') at = endOfText(json, at);
		else if (token.length === 1) bound.take(1);
		else if (!Number.isSafeInteger(Number(token))) {
			pieces.push(json.slice(taken, at - token.length), `"${token}"`);
			taken = at;
		}
	}
	return pieces.join('') + json.slice(taken);
}

/** Behind the quote that ends it. */
function endOfText(json: string, start: number): number {
	for (let at = start; ; at = IN_TEXT.lastIndex) {
		IN_TEXT.lastIndex = at;
		IN_TEXT.exec(json);
		if (IN_TEXT.lastIndex === at) return at + 1;
	}
}

/** The value of JSON. Throws {@link TooMuch} before anything is made of it, else a `SyntaxError`. */
export function parseJson(json: string, bound = new Bound()): GenericValue {
	return JSON.parse(readable(json, bound)) as GenericValue;
}

/** The value of JSON, if it is an object, a list or a text: a bare number is no wrapping. */
export function jsonIn(text: string, bound = new Bound()): GenericValue {
	if (!/^\s*["{[]/.test(text)) return undefined;
	const { left } = bound;
	const json = readable(text.trim(), bound);
	const value = jsonParse<GenericValue>(json, { fallbackValue: null });
	if (value === null) bound.left = left; // It has no values.
	return value ?? undefined;
}

/** How often texts may be wrapped in one another. */
const MOST_LAYERS = 5;

/** What is inside a text: the value of JSON; any other text, or value, is only itself. */
export function inside(value: GenericValue, bound?: Bound): GenericValue {
	for (let layer = 0; typeof value === 'string' && layer < MOST_LAYERS; layer++) {
		const inner = jsonIn(value, bound);
		if (inner === undefined) break;
		value = inner;
	}
	return value;
}

/** An object, a list or a text that stands somewhere in a value. */
export interface Step<Root = unknown> {
	/** What is inside of it, if it is a text. */
	value: IDataObject | string;
	/** In what holds it; empty for the outermost value. */
	key: string;
	parent: Step<Root> | undefined;
	depth: number;
	root: Root;
	/** Whether its values were counted when they were read. */
	isCounted: boolean;
}

/** All that stands in values, outer things first, also inside of texts. Throws {@link TooMuch}. */
export function* walk<Root>(roots: Root[]): Generator<Step<Root>> {
	const bound = new Bound();
	const seen = new Set<unknown>(); // An object that holds itself would have no end.
	const open: Array<Step<Root>> = [];
	const push = (value: unknown, step: Omit<Step<Root>, 'value'>) => {
		if (typeof value === 'string' || isObject(value)) open.push({ ...step, value });
	};
	for (const root of roots) {
		push(root, { key: '', parent: undefined, depth: 0, root, isCounted: false });
	}
	for (const step of open) {
		const value = inside(step.value, bound) as Step['value'];
		step.isCounted ||= value !== step.value;
		step.value = value;
		if (seen.has(value)) continue;
		yield step;
		if (!isObject(value)) continue;
		seen.add(value);
		const keys = Object.keys(value);
		const { root, isCounted, depth } = step;
		if (!isCounted) bound.take(keys.length);
		for (const key of keys) {
			push(value[key], { key, parent: step, depth: depth + 1, root, isCounted });
		}
	}
}

/** Where it stands, such as `body.videos[0]`; empty for the outermost value. */
export function placeOf(step: Step): string {
	const keys: string[] = [];
	for (let { key, parent } = step; parent; { key, parent } = parent) {
		keys.unshift(Array.isArray(parent.value) ? `[${key}]` : `.${key}`);
	}
	return keys.join('').replace(/^\./, '');
}

/** Whether it holds values: an object or a list, and no bytes. */
export function isObject(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
}
