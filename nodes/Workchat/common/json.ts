import { jsonParse, type GenericValue, type IDataObject } from 'n8n-workflow';

/** Values of one callback, item or answer that are looked through: more would hold n8n for long. */
export const MOST_VALUES = 200_000;

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

/** What may be a whole number, from its first character. */
const NUMBER = /[-+.\dEe]+/y;

/** JSON with whole numbers beyond 2^53 as text, to keep all digits. Throws {@link TooMuch}. */
function readable(json: string, bound: Bound): string {
	const pieces: string[] = [];
	let [taken, isOpen] = [0, false];
	for (let at = 0; at < json.length; at++) {
		const character = json.charAt(at);
		if (character <= ' ') continue;
		// What is open and not empty has one value more than commas.
		if (character === ',' || (isOpen && character !== ']' && character !== '}')) bound.take(1);
		isOpen = character === '[' || character === '{';
		if (character === '"') {
			while (++at < json.length && json.charAt(at) !== '"') if (json.charAt(at) === '\\') at++;
		} else if (character === '-' || (character >= '0' && character <= '9')) {
			NUMBER.lastIndex = at;
			const [number = ''] = NUMBER.exec(json) ?? [];
			if (/^-?\d{16,}$/.test(number) && !Number.isSafeInteger(Number(number))) {
				pieces.push(json.slice(taken, at), `"${number}"`);
				taken = at + number.length;
			}
			at += number.length - 1;
		}
	}
	return pieces.join('') + json.slice(taken);
}

/** The value of JSON. Throws {@link TooMuch} before anything is made of it, else a `SyntaxError`. */
export function parseJson(json: string, bound = new Bound()): GenericValue {
	return JSON.parse(readable(json, bound)) as GenericValue;
}

/** What may be JSON, and no words such as `[Smile]`. */
const BEGINNING = /^\s*(?:"|\{\s*["}]|\[\s*(?:[\]"{[\d-]|true|false|null))/;
const END_OF: Record<string, string> = { '"': '"', '{': '}', '[': ']' };
/** Values for which a text counts that is no JSON after all. */
const COST = 20;

/** The value of JSON, if it is an object, a list or a text: a bare number is no wrapping. */
export function jsonIn(text: string, bound = new Bound()): GenericValue {
	if (!BEGINNING.test(text)) return undefined;
	const whole = text.trim();
	if (whole.at(-1) !== END_OF[whole.charAt(0)]) return undefined;
	const { left } = bound;
	const json = whole.startsWith('"') ? whole : readable(whole, bound);
	const value = jsonParse<GenericValue>(json, { fallbackValue: null });
	if (value === null) bound.left = left - COST; // It has no values, but an error takes V8 a while.
	return value ?? undefined;
}

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
export interface Step {
	/** What is inside of it, if it is a text. */
	value: IDataObject | string;
	/** In what holds it; empty for the outermost value. */
	key: string;
	parent: Step | undefined;
	depth: number;
	/** Whether its values were counted when they were read. */
	isCounted: boolean;
}

/**
 * All that stands in values, outer things first, also inside of texts. Throws {@link TooMuch}.
 * @param isEnough whether nothing is wanted from this depth on
 */
export function* walk(
	roots: unknown[],
	isEnough: (depth: number) => boolean = () => false,
	bound = new Bound(),
): Generator<Step> {
	const seen = new Set<unknown>(); // An object that holds itself would have no end.
	const open: Step[] = [];
	const push = (value: unknown, key = '', parent?: Step) => {
		if (typeof value !== 'string' && !isObject(value)) return;
		const { depth = -1, isCounted = false } = parent ?? {};
		open.push({ value, key, parent, depth: depth + 1, isCounted });
	};
	for (const root of roots) push(root);
	for (const step of open) {
		if (isEnough(step.depth)) return;
		const value = inside(step.value, bound) as Step['value'];
		step.isCounted ||= value !== step.value;
		step.value = value;
		if (seen.has(value)) continue;
		yield step;
		if (!isObject(value)) continue;
		seen.add(value);
		const keys = Object.keys(value);
		if (!step.isCounted) bound.take(keys.length);
		for (const key of keys) push(value[key], key, step);
	}
}

/** Where it stands, such as `body.videos[0]`; empty for the outermost value. */
export function placeOf(step: Step): string {
	const keys: string[] = [];
	for (let { key, parent } = step; parent; { key, parent } = parent) {
		keys.push(Array.isArray(parent.value) ? `[${key}]` : `.${key}`);
	}
	return keys.reverse().join('').replace(/^\./, '');
}

/** Whether it holds values: an object or a list, and no bytes. */
export function isObject(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
}
