import { jsonParse, type GenericValue, type IDataObject } from 'n8n-workflow';

/** Most values to read of one callback, item or response: more would block n8n for too long. */
export const MAX_VALUES = 200_000;

export class TooManyValues extends Error {
	constructor() {
		super('There are more than 200,000 values, which is too many to search');
	}
}

/** Counts the values of one callback, item or response, including those of JSON in its texts. */
export class ValueBudget {
	constructor(public remaining = MAX_VALUES) {}

	spend(values: number): void {
		this.remaining -= values;
		if (this.remaining < 0) throw new TooManyValues();
	}
}

/**
 * Puts whole numbers beyond 2^53 in quotes, so that they keep all digits: `[9007199254740993]` becomes
 * `["9007199254740993"]`. Also counts all values, before a parser creates them. Throws {@link TooManyValues}.
 */
function quoteLongNumbers(json: string, budget: ValueBudget): string {
	const pieces: string[] = [];
	/** The pieces have everything before this position. */
	let copied = 0;
	let isAfterOpening = false;
	for (let at = 0; at < json.length; at++) {
		const character = json.charAt(at);
		if (character <= ' ') continue;
		// `[a, b]` has a value after the bracket and one after each comma; `[]` has none.
		const isFirst = isAfterOpening && character !== ']' && character !== '}';
		if (isFirst || character === ',') budget.spend(1);
		isAfterOpening = character === '[' || character === '{';
		if (character === '"') {
			at = findClosingQuote(json, at);
		} else if (character === '-' || (character >= '0' && character <= '9')) {
			const number = numberAt(json, at);
			if (/^-?\d{16,}$/.test(number) && !Number.isSafeInteger(Number(number))) {
				pieces.push(json.slice(copied, at), `"${number}"`);
				copied = at + number.length;
			}
			at += number.length - 1;
		}
	}
	return pieces.join('') + json.slice(copied);
}

function findClosingQuote(json: string, opening: number): number {
	let at = opening + 1;
	while (at < json.length && json.charAt(at) !== '"') at += json.charAt(at) === '\\' ? 2 : 1;
	return at;
}

const NUMBER = /[-+.\dEe]+/y;

function numberAt(json: string, start: number): string {
	NUMBER.lastIndex = start;
	return NUMBER.exec(json)?.[0] ?? '';
}

/** Parses JSON; whole numbers beyond 2^53 become text. Throws {@link TooManyValues} or a `SyntaxError`. */
export function parseJson(json: string, budget = new ValueBudget()): GenericValue {
	return JSON.parse(quoteLongNumbers(json, budget)) as GenericValue;
}

/** The start of JSON, but not of words in brackets: `{"a"` and `[1` match, `[Smile]` does not. */
const JSON_START = /^\s*(?:"|\{\s*["}]|\[\s*(?:[\]"{[\d-]|true|false|null))/;
const CLOSING: Record<string, string> = { '"': '"', '{': '}', '[': ']' };
/** The cost, in values, of a text that is not JSON after all: V8 takes a while to create the error. */
const FAILED_PARSE_COST = 20;

/** Parses a text if it is a JSON object, array or string; otherwise `undefined`, also for a bare number. */
export function parseJsonText(text: string, budget = new ValueBudget()): GenericValue {
	if (!JSON_START.test(text)) return undefined;
	const trimmed = text.trim();
	if (trimmed.at(-1) !== CLOSING[trimmed.charAt(0)]) return undefined;
	const { remaining } = budget;
	// A JSON string has no values to count, and no numbers to quote.
	const json = trimmed.startsWith('"') ? trimmed : quoteLongNumbers(trimmed, budget);
	const value = jsonParse<GenericValue>(json, { fallbackValue: null });
	if (value !== null) return value;
	// It is not JSON after all (`null` itself does not start like this), so its values do not count.
	budget.remaining = remaining - FAILED_PARSE_COST;
	return undefined;
}

const MAX_LAYERS = 5;

/**
 * Parses JSON in a text, and in the text that results, and so on: `"[1]"` becomes `[1]`, with quotes around
 * it as well. Returns any other value unchanged.
 */
export function unwrapJson(value: GenericValue, budget?: ValueBudget): GenericValue {
	for (let layer = 0; typeof value === 'string' && layer < MAX_LAYERS; layer++) {
		const inner = parseJsonText(value, budget);
		if (inner === undefined) break;
		value = inner;
	}
	return value;
}

/** An object, array or text inside a JSON value. */
export interface JsonNode {
	/** For a text that is JSON, the parsed value. */
	value: IDataObject | string;
	/** Its key or index in the parent; empty for a root. */
	key: string;
	parent: JsonNode | undefined;
	depth: number;
	/** Whether the parser has counted its values, as it comes from a text. */
	isCounted: boolean;
}

/**
 * Visits all objects, arrays and texts in JSON values, breadth first, also in texts that are JSON.
 * Throws {@link TooManyValues}.
 * @param shouldStop whether to end the walk before this depth
 */
export function* walkJson(
	roots: unknown[],
	shouldStop: (depth: number) => boolean = () => false,
	budget = new ValueBudget(),
): Generator<JsonNode> {
	const seen = new Set<unknown>(); // An object may contain itself.
	const queue: JsonNode[] = [];
	const push = (value: unknown, key = '', parent?: JsonNode) => {
		if (typeof value !== 'string' && !isObject(value)) return;
		const { depth = -1, isCounted = false } = parent ?? {};
		queue.push({ value, key, parent, depth: depth + 1, isCounted });
	};
	for (const root of roots) push(root);
	for (const node of queue) {
		if (shouldStop(node.depth)) return;
		const value = unwrapJson(node.value, budget) as JsonNode['value'];
		if (value !== node.value) node.isCounted = true; // For the nodes below it, too: `push`.
		node.value = value;
		if (seen.has(value)) continue;
		yield node;
		if (!isObject(value)) continue;
		seen.add(value);
		const keys = Object.keys(value);
		if (!node.isCounted) budget.spend(keys.length);
		for (const key of keys) push(value[key], key, node);
	}
}

/** The path of a node, such as `body.videos[0]`; empty for a root. */
export function pathOf(node: JsonNode): string {
	const keys: string[] = [];
	for (let at = node; at.parent; at = at.parent) {
		keys.push(Array.isArray(at.parent.value) ? `[${at.key}]` : `.${at.key}`);
	}
	return keys.reverse().join('').replace(/^\./, '');
}

/** Whether it is an object or an array; a buffer is neither. */
export function isObject(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
}
