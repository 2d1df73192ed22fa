import type { ICredentialDataDecryptedObject, IExecuteFunctions } from 'n8n-workflow';

import { inputFailure, messageOf } from './failure/failure';
import { parsedUrl } from './http/url';

export const CREDENTIAL_TYPE = 'workchatApi';
const FIX_BASE_URL =
	'Open the Workchat credential and enter the address of the service as Base URL.';

/** A decrypted credential that is complete. */
export interface Credential extends ICredentialDataDecryptedObject {
	/** Without white space around it. */
	apiKey: string;
	/** The address of the service, without trailing slashes. */
	baseUrl: string;
}

/**
 * The credential of each item. Decrypted once for all of them, unless it has an expression that
 * comes out differently.
 */
export class Credentials {
	private constructor(
		private readonly context: IExecuteFunctions,
		private readonly shared: Credential | undefined,
	) {}

	static async open(context: IExecuteFunctions): Promise<Credentials> {
		return new Credentials(context, await sharedCredential(context));
	}

	/** Throws a {@link Failure} where it is not complete. */
	async of(itemIndex: number): Promise<Credential> {
		return this.shared ?? checkedCredential(await this.decrypted(itemIndex));
	}

	private async decrypted(itemIndex: number): Promise<ICredentialDataDecryptedObject> {
		try {
			return await this.context.getCredentials(CREDENTIAL_TYPE, itemIndex);
		} catch (error) {
			throw inputFailure(
				`The Workchat credential cannot be used: ${messageOf(error)}`,
				'Check that the node has a Workchat credential, and the expressions in it.',
			);
		}
	}
}

/**
 * n8n does not say whether a credential has expressions: `getCredentials` has resolved them (n8n-core
 * 2.41.1, node-execution-context.js). One that reads the item comes out
 * differently, or not at all, where there is no item: for the index behind the last one. Where it
 * finds nothing for either, it is not complete, and other items may well have theirs.
 */
async function sharedCredential(context: IExecuteFunctions): Promise<Credential | undefined> {
	try {
		const ofFirst = await context.getCredentials(CREDENTIAL_TYPE, 0);
		const ofNone = await context.getCredentials(CREDENTIAL_TYPE, context.getInputData().length);
		return JSON.stringify(ofFirst) === JSON.stringify(ofNone)
			? checkedCredential(ofFirst)
			: undefined;
	} catch {
		return undefined;
	}
}

/** A credential that is complete; throws a {@link Failure} where it is not. */
export function checkedCredential(credential: ICredentialDataDecryptedObject): Credential {
	// Spaces and line breaks were pasted along. axios 1.21.1 drops those around a key
	// (lib/helpers/sanitizeHeaderValue.js), not every version does.
	const [apiKey = '', baseUrl = ''] = [credential.apiKey, credential.baseUrl].map((value) =>
		typeof value === 'string' ? value.trim() : '',
	);
	if (apiKey === '') {
		throw inputFailure(
			'The Workchat credential has no API key',
			'Open the Workchat credential and enter the API key from the Workchat console.',
		);
	}
	// axios leaves out what is no Latin-1 or a control character (1.21.1,
	// lib/helpers/sanitizeHeaderValue.js), which makes another key; Node would refuse the header
	// (ERR_INVALID_CHAR). What is left of Latin-1, servers read in different ways (RFC 9110, 5.5).
	if (/[^\x20-\x7e]/.test(apiKey)) {
		throw inputFailure(
			'The API key holds characters that are not allowed in an API key',
			'Paste the API key into the Workchat credential again, as the Workchat console shows it.',
		);
	}
	if (baseUrl === '') {
		throw inputFailure('The Workchat credential has no Base URL', FIX_BASE_URL);
	}
	const url = withoutTrailingSlashes(baseUrl);
	if (!/^https?:\/\//i.test(url)) {
		throw inputFailure('The Base URL does not begin with https:// or http://', FIX_BASE_URL);
	}
	if (!parsedUrl(url) || /[\\\s\p{Cc}]/u.test(url)) {
		throw inputFailure('The Base URL is not the address of a service', FIX_BASE_URL);
	}
	const [tooMuch] = /[?#].*|\/workchat\/(?:files|messages)(?:\/.*)?$/i.exec(url) ?? [];
	if (tooMuch !== undefined) {
		throw inputFailure(
			`The Base URL is not the address of a service alone: it goes on with "${tooMuch.replace(/(?<=[?=]).+/, '…')}"`,
			'Open the Workchat credential and leave that out of the Base URL.',
		);
	}
	return { ...credential, apiKey, baseUrl: url };
}

/** The address of the service, the same for every way of writing it. */
export function addressOf({ baseUrl }: Credential): string {
	return parsedUrl(baseUrl)?.href ?? baseUrl;
}

/** The address of the service as it may be shown: without user info. */
export function shownBaseUrl({ baseUrl }: Credential): string {
	return baseUrl.replace(/^(https?:\/+)[^/]*@/i, '$1');
}

function withoutTrailingSlashes(text: string): string {
	let end = text.length;
	while (text[end - 1] === '/') end--;
	return text.slice(0, end);
}
