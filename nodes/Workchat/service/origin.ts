import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import { checkedBaseUrl } from './credential';

/**
 * As other nodes may ask n8n to authenticate it: the old request helper takes `uri` (n8n-workflow
 * 2.41, IRequestOptions).
 */
export type AnyRequest = Pick<IHttpRequestOptions, 'baseURL'> & { url?: unknown; uri?: unknown };

/** Throws unless a request goes to the origin of the credential's Base URL: the key is for no other. */
export function refuseOtherOrigin(
	{ url, uri, baseURL }: AnyRequest,
	credential: ICredentialDataDecryptedObject,
): void {
	const base = new URL(checkedBaseUrl(credential));
	const targets = [url, uri].filter((target) => target !== undefined).map(String);
	const isBaseSafe = baseURL ? leadsTo(base, baseURL) : targets.length > 0;
	if (isBaseSafe && targets.every((target) => leadsTo(base, target, baseURL))) return;
	throw new UserError(
		`The Workchat API key is sent to ${base.origin} only, the Base URL of its credential, and this request goes elsewhere. Use a URL that begins with the Base URL, or another credential.`,
	);
}

/** Whether a URL is of the origin, as every parser reads it. */
function leadsTo(base: URL, target: string, baseURL?: string): boolean {
	if (!isPlain(target) || !URL.canParse(target, baseURL)) return false;
	const { protocol, host, username, password } = new URL(target, baseURL);
	// User info may look like a host; what stands in the Base URL is meant.
	const isUserMeant = username === base.username && password === base.password;
	return (
		protocol === base.protocol && host === base.host && (isUserMeant || !(username || password))
	);
}

/** Backslashes, spaces and control characters are read in different ways by different parsers. */
function isPlain(url: string): boolean {
	return !/[\\\s\p{Cc}]/u.test(url) && !url.startsWith('//');
}
