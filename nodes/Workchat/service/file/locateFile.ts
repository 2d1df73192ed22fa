import type { IDataObject } from 'n8n-workflow';

import { Breather } from '../breather';
import type { Wording } from '../failure/wording';
import { listed } from '../text/listed';
import { shown } from '../failure/redact';
import { readingsOf } from '../text/unescaped';
import { parsedUrl } from '../http/url';
import { fromBase64, isBeyondHex, isInAlphabet, readBase64, type Base64 } from './base64';
import { fileFailure } from './fileFailure';
import { surelyTypeOfBytes } from './mimeType';

const HTTP = /^\s*https?:\/\//i;

/** Where `data` holds the file, and what it holds there. */
export type Location = { path: string[] } & (
	| { source: 'link'; link: string }
	| { source: 'base64' | 'dataUri'; content: Buffer; mimeType?: string }
);

export interface Wanted {
	/** Path inside `data`, such as `files[0].url`; empty to find it. */
	fileLocation: string;
	/** The size that the caller asked for, of which the unit is not known: it decides where nothing else does. */
	fileSize: number;
	/** Values of the request, which a service may repeat in its reply. */
	sent: IDataObject;
}

/** A text that may be the file; it is decoded only if it is. */
type Candidate =
	| { source: 'link'; link: string }
	| ({ source: 'base64' | 'dataUri'; text: string; mimeType?: string } & Base64);

interface Found {
	path: string[];
	candidate: Candidate;
}

/** Bytes; no ID or signature is as long, so base64 of so many is content, whatever they are. */
const SURELY_CONTENT = 768;
/** Bytes; what is shorter may have File Size bytes by chance. */
const SHORTEST_OF_SIZE = 64;
/** Characters; what is shorter, and not padded, says something else, such as a type. */
const SHORTEST_PART = 16;
/** Characters; a longer text of few letters is no hash, but of bytes that are all the same. */
const LONGEST_HASH = 128;
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
	wording: Wording,
): Promise<Location> {
	const breather = new Breather();
	const { fileLocation, fileSize } = wanted;
	if (fileLocation !== '') return await locateAt(data, fileLocation, wording, breather);

	const sure: Found[] = [];
	const ofSize: Found[] = [];
	const known = new Set(Object.values(wanted.sent).map(comparable));
	for (const { path, value } of valuesIn(data)) {
		if (breather.isDue()) await breather.breathe();
		if (typeof value !== 'string' || known.has(comparable(value))) continue;
		const candidate = await candidateOf(value, breather);
		const likelihood = candidate && likelihoodOf(candidate, fileSize);
		if (!candidate || !likelihood) continue;
		// What stands twice is one file.
		known.add(comparable(value));
		(likelihood === 'sure' ? sure : ofSize).push({ path: path.map(String), candidate });
	}
	const found = sure.length > 0 ? sure : ofSize;
	const [first] = found;
	if (!first) {
		throw fileFailure(
			wording,
			`answered without anything that looks like a file. ${keysOf(data, wording)}`,
			"Set 'Output' to 'Service Response' to see the whole reply, then name the place in the 'File Location' option.",
		);
	}
	const hasLink = found.some(({ candidate }) => candidate.source === 'link');
	const exact = found.filter(({ candidate }) => !hasLink && isOfSize(candidate, fileSize));
	const [only] = found.length === 1 ? found : exact.length === 1 ? exact : [];
	if (!only) {
		const places = listed(found, MOST_NAMES, ({ path }) =>
			nameOf(path.join('.') || 'data', wording),
		);
		throw fileFailure(
			wording,
			`answered with several things that may be the file: ${places}`,
			"Name the right one in the 'File Location' option.",
		);
	}
	if (found.length === 1 && isPart(data, only)) {
		throw fileFailure(
			wording,
			`answered with a file in several parts, of which ${nameOf(only.path.join('.'), wording)} is one`,
			"Set 'Output' to 'Service Response' and put the parts together in a Code node.",
		);
	}
	return await locationOf(only, breather);
}

/** A link may be written in several ways: they lead to the same. */
function comparable(value: unknown): unknown {
	const url = typeof value === 'string' && HTTP.test(value) ? parsedUrl(value) : undefined;
	if (!url) return value;
	url.hash = '';
	return readingsOf(url.href.replaceAll('+', '%20'))[1] ?? url.href;
}

/** Whether a text is a file by itself, or could be one for its size. Many short ones are base64 by chance. */
function likelihoodOf(candidate: Candidate, fileSize: number): 'sure' | 'ofSize' | undefined {
	if (candidate.source === 'link') return 'sure';
	const { source, text, bytes } = candidate;
	if (!candidate.isSound) return undefined;
	if (source === 'dataUri') return 'sure';
	if (!candidate.isWhole || !candidate.isDistinct) return undefined;
	const first = Buffer.from(text.slice(0, LONGEST_HEADER), 'base64');
	if (bytes >= SURELY_CONTENT || surelyTypeOfBytes(first)) return 'sure';
	return bytes >= SHORTEST_OF_SIZE && isOfSize(candidate, fileSize) ? 'ofSize' : undefined;
}

function isOfSize(candidate: Candidate, fileSize: number): boolean {
	return candidate.source !== 'link' && candidate.bytes === fileSize;
}

/** Whether base64 stands beside a file that nobody could tell alone: the same file goes on there. */
function isPart(data: unknown, { path, candidate }: Found): boolean {
	if (candidate.source === 'link') return false;
	return siblingsOf(data, path).some((texts) => texts.filter(isBase64Like).length > 1);
}

function isBase64Like(text: string): boolean {
	const { length } = text;
	const ends = text.slice(0, LONGEST_HEADER) + text.slice(-LONGEST_HEADER);
	if (!isInAlphabet(ends)) return mimeTypeOfDataUri(text) !== undefined;
	const isLong = length > LONGEST_HASH || (length >= SHORTEST_PART && isBeyondHex(ends));
	return isLong || /=\s*$/.test(text.slice(-SHORTEST_PART));
}

/** For each list, or run of numbered keys, that a path leads through: the texts at the same place in its entries. */
function siblingsOf(data: unknown, path: string[]): string[][] {
	return path.map((key, index) => {
		const parent = valueAt(data, path.slice(0, index));
		const pattern = patternOf(key);
		const keys = Object.keys(parent as object).filter((other) => patternOf(other) === pattern);
		const texts = keys.map((other) => valueAt(parent, [other, ...path.slice(index + 1)]));
		const isText = (text: unknown): text is string => typeof text === 'string' && text !== '';
		return [...new Set(texts.filter(isText))];
	});
}

/** The same for keys that differ in their numbers. */
function patternOf(key: string): string {
	return key.replace(/\d+/g, '0');
}

async function locateAt(
	data: unknown,
	fileLocation: string,
	wording: Wording,
	breather: Breather,
): Promise<Location> {
	const correct = "Correct the 'File Location' option, or empty it to have the file found.";
	const inData = fileLocation.match(/(?<=")[^"]+(?="])|(?<=')[^']+(?='])|[^.[\]"']+/g) ?? [];
	// Where the whole envelope is on the screen, its paths begin with `data`.
	const inEnvelope = inData[0] === 'data' ? inData.slice(1) : inData;
	const path = valueAt(data, inData) === undefined ? inEnvelope : inData;
	const value = valueAt(data, path);
	const place = `the File Location "${nameOf(fileLocation, wording)}"`;
	if (typeof value !== 'string') {
		const happened = `answered without a text at ${place}. ${keysOf(data, wording)}`;
		throw fileFailure(wording, happened, correct);
	}
	const candidate = await candidateOf(value, breather);
	if (candidate) return await locationOf({ path, candidate }, breather);
	const happened = `answered with neither a link nor base64 content at ${place}`;
	throw fileFailure(wording, happened, correct);
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
	if (HTTP.test(text)) {
		const link = text.trim();
		return !/\s/.test(link) && parsedUrl(link) ? { source: 'link', link } : undefined;
	}

	const mimeType = mimeTypeOfDataUri(text);
	const content = mimeType === undefined ? text : text.slice(text.indexOf(',') + 1).trim();
	const read = await readBase64(content, breather);
	if (!read) return undefined;
	return mimeType === undefined
		? { source: 'base64', text: content, ...read }
		: { source: 'dataUri', text: content, mimeType, ...read };
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
function keysOf(data: unknown, wording: Wording): string {
	if (typeof data !== 'object' || data === null) {
		return `Its data is ${data === null || data === undefined ? 'empty' : `a ${typeof data}`}.`;
	}
	if (Array.isArray(data)) return `Its data is a list of ${data.length}.`;
	const keys = Object.keys(data);
	if (keys.length === 0) return 'Its data is empty.';
	return `Its data has the keys: ${listed(keys, MOST_NAMES, (key) => nameOf(key, wording))}.`;
}

/** A key may repeat a secret, too. */
function nameOf(name: string, { secrets }: Wording): string {
	return shown(name, secrets, LONGEST_NAME) ?? '***';
}
