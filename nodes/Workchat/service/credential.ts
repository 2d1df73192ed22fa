import type { ICredentialDataDecryptedObject, IExecuteFunctions } from 'n8n-workflow';

import { inputFailure, messageOf } from './failure/failure';
import { parsedUrl } from './http/url';

const CREDENTIAL_TYPE = 'workchatApi';
const FIX_BASE_URL =
	'Open the Workchat credential and enter the address of the service as Base URL.';

/** A decrypted credential: which service is asked, and with which key. */
export interface Connection {
	type: string;
	credential: ICredentialDataDecryptedObject;
}

/**
 * The credential of each item. Decrypted once for all of them, unless it has an expression that
 * comes out differently.
 */
export class Connections {
	private constructor(
		private readonly context: IExecuteFunctions,
		private readonly shared: Connection | undefined,
	) {}

	static async open(context: IExecuteFunctions): Promise<Connections> {
		return new Connections(context, await sharedConnection(context));
	}

	/** Throws a {@link Failure} where it is not complete. */
	async of(itemIndex: number): Promise<Connection> {
		if (this.shared) return this.shared;
		const connection = await this.ofItem(itemIndex);
		checkedBaseUrl(connection.credential);
		return connection;
	}

	private async ofItem(itemIndex: number): Promise<Connection> {
		try {
			return await connectionOf(this.context, itemIndex);
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
async function sharedConnection(context: IExecuteFunctions): Promise<Connection | undefined> {
	try {
		const ofFirst = await connectionOf(context, 0);
		checkedBaseUrl(ofFirst.credential);
		const ofNone = await connectionOf(context, context.getInputData().length);
		return JSON.stringify(ofFirst) === JSON.stringify(ofNone) ? ofFirst : undefined;
	} catch {
		return undefined;
	}
}

async function connectionOf(context: IExecuteFunctions, itemIndex: number): Promise<Connection> {
	const credential = await context.getCredentials(CREDENTIAL_TYPE, itemIndex);
	return { type: CREDENTIAL_TYPE, credential: { ...credential, apiKey: secretKeyOf(credential) } };
}

/**
 * Spaces and line breaks around the key were pasted along. axios 1.21.1 drops them
 * (lib/helpers/sanitizeHeaderValue.js), not every version does.
 */
export function secretKeyOf({ apiKey }: ICredentialDataDecryptedObject): string {
	return typeof apiKey === 'string' ? apiKey.trim() : '';
}

/** The Base URL of a credential that is complete, without trailing slashes. */
export function checkedBaseUrl(credential: ICredentialDataDecryptedObject): string {
	const apiKey = secretKeyOf(credential);
	const { baseUrl } = credential;
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
	if (typeof baseUrl !== 'string' || baseUrl.trim() === '') {
		throw inputFailure('The Workchat credential has no Base URL', FIX_BASE_URL);
	}
	const url = withoutTrailingSlashes(baseUrl.trim());
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
	return url;
}

/** The address of the service, the same for every way of writing it. */
export function addressOf({ baseUrl }: ICredentialDataDecryptedObject): string {
	const url = withoutTrailingSlashes(String(baseUrl).trim());
	return parsedUrl(url)?.href ?? url;
}

function withoutTrailingSlashes(text: string): string {
	let end = text.length;
	while (text[end - 1] === '/') end--;
	return text.slice(0, end);
}
