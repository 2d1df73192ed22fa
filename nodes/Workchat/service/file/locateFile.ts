import type { IDataObject } from 'n8n-workflow';

import type { Call } from '../call';
import { listed } from '../listed';
import { redact } from '../redact';
import { contentFailure } from './contentFailure';
import { typeOfBytes } from './mimeType';

/** Where `data` holds the file, and what it holds there. */
export type Location = { path: string[] } & (
	| { source: 'link'; link: string }
	| { source: 'base64' | 'dataUri'; content: Buffer; mimeType?: string }
);

export interface Wanted {
	/** Path inside `data`, such as `files[0].url`; empty to find it. */
	fileLocation: string;
	/** The size that the caller asked for: base64 of exactly that many bytes is the file. */
	fileSize: number;
	/** Values of the request, which a service may repeat in its reply. */
	sent: IDataObject;
}

/** No ID or signature is as long, so such a base64 text is content, whatever its bytes. */
const SURELY_CONTENT = 1024;
const DEEPEST = 8;
const MOST_NAMES = 20;

/** Finds the file in an envelope's `data`, whose shape is not documented. */
export function locateFile(data: unknown, wanted: Wanted, call: Call): Location {
	if (wanted.fileLocation !== '') return locateAt(data, wanted.fileLocation, call);

	const echoes = new Set(Object.values(wanted.sent));
	const found: Location[] = [];
	for (const { path, text } of textsIn(data)) {
		if (echoes.has(text) || found.some((other) => isSame(other, text))) continue;
		const location = locationOf(path, text);
		if (location && isPlausible(location, text, wanted)) found.push(location);
	}
	const [first, ...others] = found;
	if (!first) {
		throw contentFailure(
			call,
			`answered without anything that looks like a file. ${keysOf(data)}`,
			'Set Output to Envelope to see the whole reply, then name the place in the File Location option.',
		);
	}
	if (others.length === 0) return first;

	const exact = found.filter((location) => sizeOf(location) === wanted.fileSize);
	if (exact.length === 1 && exact[0]) return exact[0];
	const places = listedKeys(found.map(({ path }) => readable(path)));
	throw contentFailure(
		call,
		`answered with several things that may be the file: ${places}`,
		'Name the right one in the File Location option.',
	);
}

function locateAt(data: unknown, fileLocation: string, call: Call): Location {
	const correct = 'Correct the File Location option, or empty it to have the file found.';
	const inData = fileLocation.match(/(?<=")[^"]+(?="])|(?<=')[^']+(?='])|[^.[\]"']+/g) ?? [];
	// Where the whole envelope is on the screen, its paths begin with `data`.
	const inEnvelope = inData[0] === 'data' ? inData.slice(1) : inData;
	const path = valueAt(data, inData) === undefined ? inEnvelope : inData;
	const value = valueAt(data, path);
	if (typeof value !== 'string') {
		const happened = `answered without a text at the File Location "${fileLocation}". ${keysOf(data)}`;
		throw contentFailure(call, happened, correct);
	}
	const location = locationOf(path, value);
	if (location) return location;
	const happened = `answered with neither a link nor base64 content at the File Location "${fileLocation}"`;
	throw contentFailure(call, happened, correct);
}

function valueAt(data: unknown, path: string[]): unknown {
	return path.reduce<unknown>(
		(value, key) =>
			typeof value === 'object' && value !== null && Object.hasOwn(value, key)
				? (value as Record<string, unknown>)[key]
				: undefined,
		data,
	);
}

function* textsIn(
	value: unknown,
	path: string[] = [],
): Generator<{ path: string[]; text: string }> {
	if (typeof value === 'string') yield { path, text: value };
	if (typeof value !== 'object' || value === null || path.length >= DEEPEST) return;
	for (const [key, inner] of Object.entries(value)) yield* textsIn(inner, [...path, key]);
}

function locationOf(path: string[], text: string): Location | undefined {
	const link = text.trim();
	if (/^https?:\/\/\S+$/i.test(link) && URL.canParse(link)) return { path, source: 'link', link };

	const dataUri = /^data:([^;,]*)[^,]*;base64,/i.exec(text);
	if (dataUri) {
		const content = decoded(text.slice(dataUri[0].length));
		return content && { path, source: 'dataUri', content, mimeType: dataUri[1] };
	}
	const content = decoded(text);
	return content && { path, source: 'base64', content };
}

function decoded(text: string): Buffer | undefined {
	const base64 = text.replace(/\s+/g, '');
	if (base64 === '' || !/^(?:[A-Za-z0-9+/]+|[A-Za-z0-9_-]+)={0,2}$/.test(base64)) return undefined;
	return base64.replace(/=+$/, '').length % 4 === 1 ? undefined : Buffer.from(base64, 'base64');
}

/** Many short texts are valid base64 by chance. */
function isPlausible(location: Location, text: string, { fileSize }: Wanted): boolean {
	if (location.source !== 'base64') return true;
	const { content } = location;
	return (
		content.length === fileSize ||
		typeOfBytes(content) !== undefined ||
		text.length >= SURELY_CONTENT
	);
}

function isSame(location: Location, text: string): boolean {
	return location.source === 'link' && location.link === text;
}

function sizeOf(location: Location): number | undefined {
	return location.source === 'link' ? undefined : location.content.length;
}

/** A copy of `data` without the content at `path`: it stands beside the file, not in it. */
export function withoutContent(data: unknown, path: string[]): unknown {
	const [key, ...rest] = path;
	if (key === undefined) return undefined;
	if (Array.isArray(data)) {
		return data.map((inner: unknown, index) =>
			String(index) === key ? (withoutContent(inner, rest) ?? null) : inner,
		);
	}
	const { [key]: inner, ...others } = data as Record<string, unknown>;
	const remaining = withoutContent(inner, rest);
	return remaining === undefined ? others : { ...others, [key]: remaining };
}

/** Keys only: values may be secret. */
function keysOf(data: unknown): string {
	if (typeof data !== 'object' || data === null) {
		return `Its data is ${data === null || data === undefined ? 'empty' : `a ${typeof data}`}.`;
	}
	if (Array.isArray(data)) return `Its data is a list of ${data.length}.`;
	const keys = Object.keys(data);
	return keys.length === 0 ? 'Its data is empty.' : `Its data has the keys: ${listedKeys(keys)}.`;
}

function listedKeys(keys: string[]): string {
	const safe = keys.map((key) => redact(key, []));
	return listed(safe, MOST_NAMES);
}

function readable(path: string[]): string {
	return path.length === 0 ? 'data' : path.join('.');
}
