import type { IDataObject } from 'n8n-workflow';

import { Breather } from '../breather';
import type { RequestContext } from '../requestContext';
import { listed } from '../listed';
import { redact } from '../redact';
import { base64Size, fromBase64 } from './base64';
import { fileFailure } from './fileFailure';
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

/** A text that may be the file; it is decoded only if it is. */
type Candidate =
	| { source: 'link'; link: string }
	| { source: 'base64' | 'dataUri'; text: string; bytes: number; mimeType?: string };

/** No ID or signature is as long, so such a base64 text is content, whatever its bytes. */
const SURELY_CONTENT = 1024;
/** Characters; no server takes a longer one. */
const LONGEST_LINK = 65_536;
/** Characters of a data URI before its content. */
const LONGEST_HEADER = 4096;
const DEEPEST = 8;
const MOST_NAMES = 20;
/** Characters of a key, or of a path. */
const LONGEST_NAME = 60;

/** Finds the file in an envelope's `data`, whose shape is not documented. */
export async function locateFile(
	data: unknown,
	wanted: Wanted,
	context: RequestContext,
): Promise<Location> {
	const breather = new Breather();
	if (wanted.fileLocation !== '')
		return await locateAt(data, wanted.fileLocation, context, breather);

	const known = new Set(Object.values(wanted.sent));
	const places: string[] = [];
	let found = 0;
	let first: Found | undefined;
	let exact: Found | 'several' | undefined;
	for (const { path, value } of valuesIn(data)) {
		if (breather.isDue()) await breather.breathe();
		if (typeof value !== 'string' || known.has(value)) continue;
		const candidate = await candidateOf(value, breather);
		if (!candidate || !isPlausible(candidate, wanted)) continue;
		// What stands twice is one file.
		known.add(value);
		if (candidate.source === 'link') known.add(candidate.link);
		const place = { path: path.map(String), candidate };
		first ??= place;
		if (isOfSize(candidate, wanted)) exact = exact ? 'several' : place;
		if (found < MOST_NAMES) places.push(path.length === 0 ? 'data' : path.join('.'));
		found++;
	}
	if (!first) {
		throw fileFailure(
			context,
			`answered without anything that looks like a file. ${keysOf(data, context)}`,
			'Set Output to Envelope to see the whole reply, then name the place in the File Location option.',
		);
	}
	if (found === 1) return await locationOf(first, breather);
	if (exact && exact !== 'several') return await locationOf(exact, breather);
	throw fileFailure(
		context,
		`answered with several things that may be the file: ${listedNames(places, found, context)}`,
		'Name the right one in the File Location option.',
	);
}

interface Found {
	path: string[];
	candidate: Candidate;
}

async function locateAt(
	data: unknown,
	fileLocation: string,
	context: RequestContext,
	breather: Breather,
): Promise<Location> {
	const correct = 'Correct the File Location option, or empty it to have the file found.';
	const inData = fileLocation.match(/(?<=")[^"]+(?="])|(?<=')[^']+(?='])|[^.[\]"']+/g) ?? [];
	// Where the whole envelope is on the screen, its paths begin with `data`.
	const inEnvelope = inData[0] === 'data' ? inData.slice(1) : inData;
	const path = valueAt(data, inData) === undefined ? inEnvelope : inData;
	const value = valueAt(data, path);
	const place = `the File Location "${nameOf(fileLocation, context)}"`;
	if (typeof value !== 'string') {
		const happened = `answered without a text at ${place}. ${keysOf(data, context)}`;
		throw fileFailure(context, happened, correct);
	}
	const candidate = await candidateOf(value, breather);
	if (candidate) return await locationOf({ path, candidate }, breather);
	const happened = `answered with neither a link nor base64 content at ${place}`;
	throw fileFailure(context, happened, correct);
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

/** All values, also those that are no texts, so that a loop over them can breathe. */
function* valuesIn(
	value: unknown,
	path: Array<string | number> = [],
): Generator<{
	/** Changes with the next value. */
	path: Array<string | number>;
	value: unknown;
}> {
	yield { path, value };
	if (typeof value !== 'object' || value === null || path.length >= DEEPEST) return;
	const keys = Array.isArray(value) ? value.keys() : Object.keys(value);
	for (const key of keys) {
		path.push(key);
		yield* valuesIn((value as Record<string | number, unknown>)[key], path);
		path.pop();
	}
}

async function candidateOf(text: string, breather: Breather): Promise<Candidate | undefined> {
	const link = text.length > LONGEST_LINK ? '' : text.trim();
	if (/^https?:\/\/\S+$/i.test(link) && URL.canParse(link)) return { source: 'link', link };

	const mimeType = mimeTypeOfDataUri(text);
	const content = mimeType === undefined ? text : text.slice(text.indexOf(',') + 1);
	const bytes = await base64Size(content, breather);
	if (bytes === undefined) return undefined;
	return mimeType === undefined
		? { source: 'base64', text: content, bytes }
		: { source: 'dataUri', text: content, bytes, mimeType };
}

/** `data:image/png;name=a.png;base64,…` */
function mimeTypeOfDataUri(text: string): string | undefined {
	if (!/^data:/i.test(text)) return undefined;
	const [header = '', content] = text.slice(0, LONGEST_HEADER).split(',', 2);
	if (content === undefined || !/;base64$/i.test(header)) return undefined;
	return header.slice('data:'.length, header.indexOf(';'));
}

async function locationOf({ path, candidate }: Found, breather: Breather): Promise<Location> {
	if (candidate.source === 'link') return { path, ...candidate };
	const { source, text, bytes, mimeType } = candidate;
	return { path, source, content: await fromBase64(text, bytes, breather), mimeType };
}

/** Many short texts are valid base64 by chance. */
function isPlausible(candidate: Candidate, wanted: Wanted): boolean {
	return (
		candidate.source !== 'base64' ||
		candidate.text.length >= SURELY_CONTENT ||
		isOfSize(candidate, wanted) ||
		typeOfBytes(Buffer.from(candidate.text, 'base64')) !== undefined
	);
}

function isOfSize(candidate: Candidate, { fileSize }: Wanted): boolean {
	return candidate.source !== 'link' && candidate.bytes === fileSize;
}

/** Takes the content at `path` out of `data`, as it stands beside the file, and gives what is left. */
export function removeContent(data: unknown, path: string[]): unknown {
	const key = path.at(-1);
	if (key === undefined) return undefined;
	const parent = valueAt(data, path.slice(0, -1)) as Record<string, unknown>;
	if (Array.isArray(parent)) parent[Number(key)] = null;
	else delete parent[key];
	return data;
}

/** Keys only: values may be secret. */
function keysOf(data: unknown, context: RequestContext): string {
	if (typeof data !== 'object' || data === null) {
		return `Its data is ${data === null || data === undefined ? 'empty' : `a ${typeof data}`}.`;
	}
	if (Array.isArray(data)) return `Its data is a list of ${data.length}.`;
	const keys = Object.keys(data);
	if (keys.length === 0) return 'Its data is empty.';
	return `Its data has the keys: ${listedNames(keys, keys.length, context)}.`;
}

function listedNames(names: string[], count: number, context: RequestContext): string {
	const shown = names.slice(0, MOST_NAMES).map((name) => nameOf(name, context));
	return listed(shown, MOST_NAMES, count);
}

/** A key may repeat a secret, too. */
function nameOf(name: string, { secrets }: RequestContext): string {
	return redact(name, secrets(), LONGEST_NAME);
}
