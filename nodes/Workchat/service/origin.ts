import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import { checkedBaseUrl } from './credential';

/** As other nodes may ask n8n to authenticate it: the old request helper takes `uri`. */
export type AnyRequest = Pick<IHttpRequestOptions, 'baseURL'> & { url?: unknown; uri?: unknown };

/** Throws unless a request goes to the origin of the credential's Base URL: the key is for no other. */
export function refuseOtherOrigin(
	{ url, uri, baseURL }: AnyRequest,
	credential: ICredentialDataDecryptedObject,
): void {
	const { origin } = new URL(checkedBaseUrl(credential));
	const targets = [url, uri].filter((target) => target !== undefined).map(String);
	const isSafe = [...targets, ...(baseURL ? [baseURL] : [])].every(isPlain);
	const origins = targets.map((target) => originOf(target, baseURL));
	if (baseURL) origins.push(originOf(baseURL));
	if (isSafe && origins.length > 0 && origins.every((other) => other === origin)) return;
	throw new UserError(
		`The Workchat API key is sent to ${origin} only, the Base URL of its credential, and this request goes elsewhere. Use a URL that begins with the Base URL, or another credential.`,
	);
}

/** Backslashes, spaces and control characters are read in different ways by different parsers. */
function isPlain(url: string): boolean {
	return !/[\\\s\p{Cc}]/u.test(url) && !url.startsWith('//');
}

function originOf(url: string, baseURL?: string): string | undefined {
	if (!URL.canParse(url, baseURL)) return undefined;
	const { origin, username, password } = new URL(url, baseURL);
	return username || password ? undefined : origin;
}
