import type { Secrets } from './secrets';
import { readingsOf } from '../text/unescaped';

/** Characters; masks are short, so more is read than is shown in the end. */
const LONGEST_TEXT = 500;
/** None is known to be longer. */
const LONGEST_NAME = 200;
const LONGEST_READ = 20_000;
/** Characters at the end of what was read that are not shown: a secret may be cut off there. */
const UNSURE = 2000;

/** What may be a link, as it stands in JSON, too. "…" ends a text that was cut off before. */
const WORD = /[^\s"<>…]+/g;
const USER_INFO = /(\bhttps?:[/\\]*|:[/\\]{2,})[^/\\?#]*@/gi;
/** A value in a query that was taken for no link. */
const VALUE = /[?&][\w.-]+=[\w%+/.~-]{16}/;

/**
 * Makes foreign text fit for an error: one short line, without user info and query strings of links,
 * and nothing of it where a part of a secret would be left.
 */
export function redact(text: string, secrets: Secrets, longest?: number): string {
	return shown(text, secrets, longest) ?? 'its words repeat a secret and are not shown';
}

/** The same, or none. */
export function shown(text: string, secrets: Secrets, longest = LONGEST_TEXT): string | undefined {
	const isCut = text.length > LONGEST_READ;
	const masked = withoutLinks(secrets.masked(text.slice(0, LONGEST_READ)));
	const sure = isCut ? masked.slice(0, -UNSURE) : masked;
	const line = sure.replace(/[\s\p{Cc}]+/gu, ' ').trim();
	const window = line.slice(0, longest + UNSURE);
	const plain = readingsOf(window).at(-1) ?? '';
	if (secrets.isIn(window) || withoutLinks(plain) !== plain || VALUE.test(plain)) return undefined;
	if (!isCut && line.length <= longest) return line;
	// No half character at the end.
	return `${line.slice(0, longest).replace(/\p{Cs}$/u, '')}…`;
}

/** Who gets a message. Any value may stand where an ID is due: a key, say, or a link with a signature. */
export function recipientOf({ secrets, toId }: { secrets: Secrets; toId?: string }): string {
	return toId === undefined ? '' : (shown(toId, secrets, LONGEST_NAME) ?? '***');
}

/** What may be shown of the address that a redirect names: no user info, no query, no secret. */
export function shownAddress(address: string, secrets: Secrets): string {
	const [path = ''] = address.trim().split(/[?#]/, 1);
	const bare = path.replace(/^([a-z][a-z\d+.-]*:[/\\]*|[/\\]{2,})[^/\\]*@/i, '$1');
	return shown(bare, secrets, 200) || 'another address';
}

/** Without what is secret in links. */
function withoutLinks(text: string): string {
	return text.replace(WORD, (word) => {
		const bare = word.replace(USER_INFO, '$1***@');
		const start = bare.search(/https?:|:(?:\\*\/){2}/i);
		const query = start === -1 ? -1 : bare.indexOf('?', start);
		return query === -1 ? bare : `${bare.slice(0, query + 1)}***`;
	});
}
