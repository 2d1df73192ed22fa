import type { IDataObject } from 'n8n-workflow';

import { masksOfLinks, masksOfSecrets, withMasks } from './masks';
import { readingsOf } from './unescaped';

/** Of one value in a query, where names and sizes stand too. */
const SHORTEST_LINK_SECRET = 8;
const MOST_LINK_SECRETS = 20;
/** Characters of a query that are taken apart; signatures stand at its end. */
const LONGEST_QUERY = 50_000;

const LONGEST_TEXT = 500;
const LONGEST_ADDRESS = 200;
/** Masks are short, so more is read than is shown in the end. */
const READ_FOR_SHOWN = 12;
/** Characters in which a secret is known even if each of its characters is escaped manifoldly. */
const READ_AHEAD = 2048;

/** What is secret about a field of a request; a URL's query always is. */
export interface SecretField {
	name: string;
	isSecret?: boolean;
}

/** The values of a request that may stand in no error, even if the response repeats them. */
export function secretsIn(body: IDataObject, fields: SecretField[]): string[] {
	const texts = (isWanted: (field: SecretField) => boolean) =>
		fields.filter(isWanted).flatMap(({ name }) => {
			const value = body[name];
			return typeof value === 'string' ? [value] : [];
		});
	return [
		...texts(({ isSecret }) => isSecret === true),
		...texts(({ isSecret }) => !isSecret).flatMap(secretsOfLink),
	];
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
	const window = text.slice(0, mostShown + READ_AHEAD);
	const isCut = window.length < text.length;
	const shown = window.slice(0, isCut ? mostShown : undefined);
	const readings = readingsOf(window);
	const masks = [...masksOfLinks(readings, window), ...masksOfSecrets(readings, secrets)];
	const safe = withMasks(shown, masks);
	// Where a space or a quote was masked, a link goes on.
	const line = withMasks(safe, masksOfLinks(readingsOf(safe), safe));
	return shortened(line.replace(/[\s\p{Cc}]+/gu, ' ').trim(), longest, isCut);
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

function shortened(text: string, longest: number, isCut: boolean): string {
	if (text.length <= longest && !isCut) return text;
	// No half character at the end.
	return `${text.slice(0, longest).replace(/\p{Cs}$/u, '')}…`;
}
