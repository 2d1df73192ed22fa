import type { IDataObject } from 'n8n-workflow';

import { folded, readingsOf, type Reading } from './unescaped';

/** Shorter values are no secrets, and removing them would garble every text. */
const SHORTEST_SECRET = 4;
/** Characters of a secret that give it away, also where a service cuts its echo off. */
const SURE_BEGINNING = 16;
/** Characters of a secret that are looked for; after these nothing of the text is shown. */
const LONGEST_SECRET = 2048;
const MOST_SECRETS = 200;

/** Of one value in a query, where names and sizes stand too. */
const SHORTEST_LINK_SECRET = 8;
const MOST_LINK_SECRETS = 40;
/** Characters of a query that are taken apart; signatures stand at its end. */
const LONGEST_QUERY = 50_000;

const LONGEST_TEXT = 500;
const LONGEST_ADDRESS = 200;
/** Masks are short, so more is read than is shown in the end. */
const READ_FOR_SHOWN = 12;
/** Characters in which even a manifold escape of a {@link SURE_BEGINNING} ends. */
const LONGEST_ESCAPED_BEGINNING = 2048;

const MASK = '***';
/** What is secret about a field of a request; a URL's query always is. */
export interface SecretField {
	name: string;
	isSecret?: boolean;
}

/** The values of a request that may stand in no error, even if the response repeats them. */
export function secretsIn(body: IDataObject, fields: SecretField[]): string[] {
	return fields.flatMap(({ name, isSecret }) => {
		const value = body[name];
		if (typeof value !== 'string') return [];
		return isSecret ? [value] : secretsOfLink(value);
	});
}

/** Links often carry a signature in their query, and now and then a user and a password. */
export function secretsOfLink(link: string): string[] {
	if (!URL.canParse(link)) return [];
	const { search, username, password } = new URL(link);
	const query = search.slice(1);
	const values = new URLSearchParams(query.slice(-LONGEST_QUERY)).values();
	const secrets = [...values, password, username].filter(
		(value) => value.length >= SHORTEST_LINK_SECRET,
	);
	return [query, ...secrets.sort((a, b) => b.length - a.length).slice(0, MOST_LINK_SECRETS)];
}

/**
 * Makes foreign text fit for an error: one short line, without `secrets`, however they are
 * escaped, and without user info and query strings of links.
 */
export function redact(text: string, secrets: string[], longest = LONGEST_TEXT): string {
	const mostShown = longest * READ_FOR_SHOWN;
	const window = text.slice(0, mostShown + LONGEST_ESCAPED_BEGINNING);
	const isCut = window.length < text.length;
	const shown = window.slice(0, isCut ? mostShown : undefined);
	const masks = masksOf(window, secrets);
	return shortened(
		withMasks(shown, masks)
			.replace(/[\s\p{Cc}]+/gu, ' ')
			.trim(),
		longest,
		isCut,
	);
}

/** What may be shown of the address that a redirect names: no user info, no query, no secret. */
export function shownAddress(address: string, secrets: string[]): string {
	return redact(withoutQuery(address.trim()), secrets, LONGEST_ADDRESS) || 'another address';
}

function withoutQuery(address: string): string {
	if (URL.canParse(address)) {
		const { href, protocol, host, pathname } = new URL(address);
		const slashes = href.startsWith('//', protocol.length) ? '//' : '';
		return protocol + slashes + host + pathname;
	}
	const [relative = ''] = address.split(/[?#]/, 1);
	return relative.replace(/^[/\\]{2}[^/\\]*@/, '//');
}

/** Places of a text from the first to before the second. */
type Range = [from: number, to: number];

function masksOf(text: string, secrets: string[]): Range[] {
	const readings = readingsOf(text);
	const foldedReadings = readings.map(folded);
	const masks = readings.flatMap((reading) => masksOfLinks(reading, text));
	for (const secret of secrets.slice(0, MOST_SECRETS)) {
		for (const form of formsOf(secret)) {
			for (const reading of foldedReadings) masks.push(...masksOfSecret(reading, form));
		}
	}
	return masks;
}

interface Form {
	text: string;
	/** The secret goes on after it. */
	isCut: boolean;
}

/** A secret as it stands, and without any escapes. */
function formsOf(secret: string): Form[] {
	const readings = readingsOf(secret.slice(0, LONGEST_SECRET));
	const isCut = secret.length > LONGEST_SECRET;
	const forms = [readings[0], readings.at(-1)].map((reading) =>
		reading ? folded(reading).text.trim() : '',
	);
	return (
		[...new Set(forms)]
			.filter((text) => text.length >= SHORTEST_SECRET)
			// The last character may be half an escape.
			.map((text) => ({ text: isCut ? text.slice(0, -SURE_BEGINNING) : text, isCut }))
	);
}

/** Where a secret or a beginning of it stands: as far as they agree. */
function masksOfSecret({ text, at }: Reading, { text: secret, isCut }: Form): Range[] {
	const least = Math.min(secret.length, SURE_BEGINNING);
	if (!text.includes(secret.slice(0, least))) return [];
	const masks: Range[] = [];
	let last: Range = [0, 0];
	for (const [index, common] of commonPrefixes(secret, text).entries()) {
		if (common < least) continue;
		const end = isCut && common === secret.length ? text.length : index + common;
		const [from, to] = [at[index] ?? 0, at[end] ?? Infinity];
		if (masks.length > 0 && from <= last[1]) last[1] = Math.max(last[1], to);
		else masks.push((last = [from, to]));
	}
	return masks;
}

/** For each place in `text`, how much of `prefix` stands there: the Z algorithm, which is linear. */
function commonPrefixes(prefix: string, text: string): number[] {
	const joined = prefix + text;
	const lengths: number[] = [0];
	let from = 0;
	let to = 0;
	for (let index = 1; index < joined.length; index++) {
		let length = index < to ? Math.min(to - index, lengths[index - from] ?? 0) : 0;
		while (joined.charCodeAt(length) === joined.charCodeAt(index + length)) length++;
		lengths.push(length);
		if (index + length > to) [from, to] = [index, index + length];
	}
	return lengths.slice(prefix.length).map((length) => Math.min(length, prefix.length));
}

/** Not "…" either, with which a text ends that was cut off before. */
const ENDS_LINK = /[\s"'<>…]/;

/** User info and query strings of links. */
function masksOfLinks({ text, at }: Reading, source: string): Range[] {
	const masks: Range[] = [];
	const mask = (from: number, to: number) => {
		if (from < to) masks.push([at[from] ?? 0, at[to] ?? Infinity]);
	};
	let end = 0;
	for (let start = text.indexOf('://'); start !== -1; start = text.indexOf('://', end)) {
		end = start;
		// A URL-encoded space or quote is part of a query, not the end of the link.
		while (end < text.length && !(ENDS_LINK.test(text[end] ?? '') && source[at[end] ?? 0] !== '%'))
			end++;
		const link = text.slice(start, end);
		const [address = ''] = link.split('?', 1);
		for (const { 0: match, index } of address.matchAll(/:\/\/[^/?#]*@/g)) {
			mask(start + index + 3, start + index + match.length - 1);
		}
		mask(start + address.length + 1, end);
	}
	return masks;
}

function withMasks(text: string, masks: Range[]): string {
	const parts: string[] = [];
	let end = 0;
	for (const [from, to] of masks.sort(([a], [b]) => a - b)) {
		if (from >= text.length) break;
		if (from > end || parts.length === 0) parts.push(text.slice(end, from), MASK);
		end = Math.max(end, to);
	}
	return parts.join('') + text.slice(end);
}

function shortened(text: string, longest: number, isCut: boolean): string {
	if (text.length <= longest && !isCut) return text;
	// No half character at the end.
	return `${text.slice(0, longest).replace(/\p{Cs}$/u, '')}…`;
}
