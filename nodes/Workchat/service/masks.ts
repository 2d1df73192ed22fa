import { folded, readingsOf, type Reading } from './unescaped';

/** Shorter values are no secrets, and removing them would garble every text. */
const SHORTEST_SECRET = 4;
/** Characters of a secret that give it away, also where a service cuts its echo off. */
const SURE_BEGINNING = 16;
/** Characters of a secret that are looked for; after these nothing of the text is shown. */
const LONGEST_SECRET = 1024;
const MOST_SECRETS = 120;

/** A part of a text that is not to be shown. */
type Mask = [from: number, to: number];

/** Where secrets stand, or beginnings of them. */
export function masksOfSecrets(readings: Reading[], secrets: string[]): Mask[] {
	const foldedReadings = readings.map(folded);
	return secrets.slice(0, MOST_SECRETS).flatMap((secret) => {
		const forms = formsOf(secret);
		return foldedReadings.flatMap((reading) =>
			forms.flatMap((form) => masksOfSecret(reading, form)),
		);
	});
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
function masksOfSecret({ text, at }: Reading, { text: secret, isCut }: Form): Mask[] {
	const least = Math.min(secret.length, SURE_BEGINNING);
	if (!text.includes(secret.slice(0, least))) return [];
	const masks: Mask[] = [];
	let last: Mask = [0, 0];
	const lengths = commonPrefixes(secret, text);
	for (let index = 0; index < text.length; index++) {
		const common = Math.min(lengths[index] ?? 0, secret.length);
		if (common < least) continue;
		const end = isCut && common === secret.length ? text.length : index + common;
		const [from, to] = [at[index] ?? 0, at[end] ?? Infinity];
		if (masks.length > 0 && from <= last[1]) last[1] = Math.max(last[1], to);
		else masks.push((last = [from, to]));
	}
	return masks;
}

/** For each place in `text`, how much of `prefix` stands there, or more: the Z algorithm, which is linear. */
function commonPrefixes(prefix: string, text: string): Uint32Array {
	const joined = prefix + text;
	const lengths = new Uint32Array(joined.length);
	let from = 0;
	let to = 0;
	for (let index = 1; index < joined.length; index++) {
		let length = index < to ? Math.min(to - index, lengths[index - from] ?? 0) : 0;
		while (joined.charCodeAt(length) === joined.charCodeAt(index + length)) length++;
		lengths[index] = length;
		if (index + length > to) {
			from = index;
			to = index + length;
		}
	}
	return lengths.subarray(prefix.length);
}

/** Not "…" either, with which a text ends that was cut off before. */
const ENDS_LINK = /[\s"<>…]/;

/** User info and query strings of links. */
export function masksOfLinks(readings: Reading[], source: string): Mask[] {
	return readings.flatMap((reading) => masksOfLinksIn(reading, source));
}

function masksOfLinksIn({ text, at }: Reading, source: string): Mask[] {
	const masks: Mask[] = [];
	const mask = (from: number, to: number) => {
		if (from < to) masks.push([at[from] ?? 0, at[to] ?? Infinity]);
	};
	// A URL-encoded space or quote is part of a query, not the end of a link.
	const endsLink = (index: number) =>
		ENDS_LINK.test(text.charAt(index)) && source[at[index] ?? 0] !== '%';
	let end = 0;
	for (let start = text.indexOf('://'); start !== -1; start = text.indexOf('://', end)) {
		end = start;
		while (end < text.length && !endsLink(end)) end++;
		const link = text.slice(start, end);
		const [address = ''] = link.split('?', 1);
		for (const { 0: match, index } of address.matchAll(/:\/\/[^/?#]*@/g)) {
			mask(start + index + 3, start + index + match.length - 1);
		}
		mask(start + address.length + 1, end);
	}
	return masks;
}

export function withMasks(text: string, masks: Mask[]): string {
	const parts: string[] = [];
	let end = 0;
	for (const [from, to] of masks.sort(([a], [b]) => a - b)) {
		if (from >= text.length) break;
		if (from > end || parts.length === 0) parts.push(text.slice(end, from), '***');
		end = Math.max(end, to);
	}
	return parts.join('') + text.slice(end);
}
