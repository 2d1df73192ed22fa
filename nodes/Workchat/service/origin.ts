import type { IHttpRequestOptions } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import type { Credential } from './credential';
import { parsedUrl } from './http/url';

/**
 * As other nodes may ask n8n to authenticate it: the old request helper takes `uri`, and a `proxy` as
 * text (n8n-workflow 2.41, IRequestOptions).
 */
export type AnyRequest = Pick<IHttpRequestOptions, 'baseURL'> & {
	url?: unknown;
	uri?: unknown;
	proxy?: unknown;
	headers?: Record<string, unknown> | null;
};

/** Throws unless a request goes to the origin of the credential's Base URL alone: the key is for no other. */
export function refuseOtherOrigin(
	{ url, uri, baseURL, proxy, headers }: AnyRequest,
	{ baseUrl }: Credential,
): void {
	const base = parsedUrl(baseUrl);
	const refuse = (why: string): never => {
		throw new UserError(
			`The Workchat API key is sent to ${base?.origin} only, the Base URL of its credential, and ${why}`,
		);
	};
	if (proxy) {
		return refuse(
			"the proxy of this request could read it. Remove the request's Proxy option: a proxy for all of n8n is set in its environment.",
		);
	}
	const targets = [url, uri]
		.filter((target) => target !== undefined && target !== null)
		.map(String);
	const isBaseSafe = baseURL ? leadsTo(base, baseURL) : targets.length > 0;
	if (!isBaseSafe || !targets.every((target) => leadsTo(base, target, baseURL))) {
		return refuse(
			'this request goes elsewhere. Use a URL that begins with the Base URL, or another credential.',
		);
	}
	const hosts = Object.entries(headers ?? {}).filter(([name]) => /^host$/i.test(name.trim()));
	if (!hosts.every(([, host]) => !host || isHostOf(base, String(host)))) {
		return refuse('the Host header of this request names another. Remove that header.');
	}
}

/** Whether a URL is of the origin, as every parser reads it. */
function leadsTo(base: URL | undefined, target: string, baseURL?: string): boolean {
	const url = isPlain(target) ? parsedUrl(target, baseURL) : undefined;
	if (!base || !url) return false;
	const { protocol, host, username, password } = url;
	// User info may look like a host; what stands in the Base URL is meant.
	const isUserMeant = username === base.username && password === base.password;
	return (
		protocol === base.protocol && host === base.host && (isUserMeant || !(username || password))
	);
}

function isHostOf(base: URL | undefined, host: string): boolean {
	if (!isPlain(host) || /[/?#@]/.test(host)) return false;
	return parsedUrl(`${base?.protocol}//${host}`)?.host === base?.host;
}

/** Backslashes, spaces and control characters are read in different ways by different parsers. */
function isPlain(url: string): boolean {
	// In a path or a query, a space is only a space.
	const [authority = ''] = /^[^/?#]*(?:\/\/[^/?#]*)?/.exec(url) ?? [];
	return !/\s/.test(authority) && !/[\\\p{Cc}]/u.test(url);
}
