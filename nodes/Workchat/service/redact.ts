import type { IDataObject } from 'n8n-workflow';

/** Shorter values are no secrets, and removing them would garble every text. */
const SHORTEST_SECRET = 4;
/** Of one value in a query, where names and sizes stand too. */
const SHORTEST_LINK_SECRET = 8;
const LONGEST_TEXT = 500;

const SECRET_FIELDS = ['encodeData', 'fileAeskey', 'fileAuthkey'];

/** The values of a request that may stand in no error, even if the reply repeats them. */
export function secretsIn(body: IDataObject): string[] {
	return Object.entries(body).flatMap(([name, value]) => {
		if (typeof value !== 'string') return [];
		return SECRET_FIELDS.includes(name) ? [value] : secretsOfLink(value);
	});
}

/** Links often carry a signature in their query, and now and then a password. */
export function secretsOfLink(link: string): string[] {
	if (!URL.canParse(link)) return [];
	const { search, searchParams, password } = new URL(link);
	const values = [...searchParams.values(), password].filter(
		(value) => value.length >= SHORTEST_LINK_SECRET,
	);
	return [search.slice(1), ...values];
}

/** Makes foreign text fit for an error: one short line, without `secrets` and without query strings. */
export function redact(text: string, secrets: string[]): string {
	let safe = text;
	for (const secret of [...secrets].sort((a, b) => b.length - a.length)) {
		if (secret.length < SHORTEST_SECRET) continue;
		safe = safe.replaceAll(secret, '***').replaceAll(encodeURIComponent(secret), '***');
	}
	safe = safe.replace(/(https?:\/\/)[^\s/?#@]+@/gi, '$1***@');
	safe = safe.replace(/(https?:\/\/[^\s?"'<>]*)\?[^\s"'<>]*/gi, '$1?***');
	safe = safe.replace(/[\s\p{Cc}]+/gu, ' ').trim();
	return safe.length > LONGEST_TEXT ? `${safe.slice(0, LONGEST_TEXT)}…` : safe;
}

/** Scheme, host and path of an address: what may be shown of it. */
export function withoutQuery(address: string): string {
	try {
		const { protocol, host, pathname } = new URL(address);
		return `${protocol}//${host}${pathname}`;
	} catch {
		return 'an unreadable address';
	}
}
