/** Characters; a DNS name has at most 253 (RFC 1035, section 2.3.4), and a port may follow. */
const LONGEST_HOST = 260;
/** Characters; no server takes a longer one. */
const LONGEST_URL = 65_536;

/**
 * Scheme and authority as Node finds them (https://url.spec.whatwg.org): any number of slashes may
 * stand before the authority, and backslashes for slashes.
 */
const AUTHORITY = /^[\0-\x20]*(?:[a-z][a-z\d+.-]*:[/\\]*|[/\\]{2,})([^/\\?#]*)/i;

/**
 * A URL; `undefined` for a text that is no URL, or longer than any that leads somewhere. The one
 * place where URLs are parsed: for an international host, Node 20 and 22 take a time that grows with
 * the square of its length.
 */
export function parsedUrl(text: string, base?: string): URL | undefined {
	if (text.length > LONGEST_URL) return undefined;
	// Node leaves these out before it reads.
	const [, authority = ''] = AUTHORITY.exec(text.replace(/[\t\n\r]/g, '')) ?? [];
	const host = authority.slice(authority.lastIndexOf('@') + 1);
	if (host.length > LONGEST_HOST || !URL.canParse(text, base)) return undefined;
	return new URL(text, base);
}
