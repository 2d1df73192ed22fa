import { TooManyValues } from '../../service/bound';
import { parseJson } from '../../service/json';

/** Characters of a text that is looked into, and how often texts may be wrapped in one another. */
const LONGEST_TEXT = 1_000_000;
const MOST_LAYERS = 5;

/**
 * What is inside a text: JSON, also percent-encoded, as a form's value, or in the CDATA of an XML text;
 * a text without any of these is only itself.
 */
export async function inside(text: string): Promise<unknown> {
	let value: unknown = text;
	for (let layer = 0; typeof value === 'string' && layer < MOST_LAYERS; layer++) {
		const inner = value.length > LONGEST_TEXT ? undefined : await unwrapped(value.trim());
		if (inner === undefined) break;
		value = inner;
	}
	return value;
}

async function unwrapped(text: string): Promise<unknown> {
	if (/^["{[]/.test(text)) return await jsonIn(text);
	if (/^%(?:22|5B|7B)/i.test(text)) return formOf(`=${text}`)[''];
	if (/^[\w.-]{1,100}=[^\s<>]+$/.test(text)) return formOf(text);
	// Not by a regular expression, which would take long where none of them ends.
	const cdata = text.startsWith('<') ? text.split('<![CDATA[').slice(1) : [];
	return cdata.length > 0 ? cdata.map((part) => part.split(']]>', 1)[0]) : undefined;
}

function formOf(text: string): Record<string, string> {
	return Object.fromEntries(new URLSearchParams(text));
}

/**
 * The value of JSON, if it is an object, a list or a text: a bare number is no wrapping.
 * @param most values; throws a {@link TooManyValues} where there are more
 */
export async function jsonIn(text: string, most?: number): Promise<unknown> {
	if (!/^\s*["{[]/.test(text)) return undefined;
	return await parseJson(text, most).catch((error) => {
		if (error instanceof TooManyValues) throw error;
	});
}
