import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { inputFailure } from './failure';

const FIX_BASE_URL =
	'Open the Workchat credential and enter the address of the service as Base URL.';

/** Spaces and line breaks around the key were pasted along; not every version of axios drops them. */
export function withTrimmedKey(
	credential: ICredentialDataDecryptedObject = {},
): ICredentialDataDecryptedObject {
	const { apiKey } = credential;
	return typeof apiKey === 'string' ? { ...credential, apiKey: apiKey.trim() } : credential;
}

/** The Base URL of a credential that is complete, without trailing slashes. */
export function checkedBaseUrl(credential: ICredentialDataDecryptedObject = {}): string {
	const { apiKey, baseUrl } = credential;
	if (typeof apiKey !== 'string' || apiKey === '') {
		throw inputFailure(
			'The Workchat credential has no API key',
			'Open the Workchat credential and enter the API key from the Workchat console.',
		);
	}
	// Node refuses such a header, and axios leaves these characters out, which makes another key.
	if (/[^\x20-\x7e]/.test(apiKey)) {
		throw inputFailure(
			'The API key holds characters that are not allowed in an API key',
			'Paste the API key into the Workchat credential again, as the Workchat console shows it.',
		);
	}
	if (typeof baseUrl !== 'string' || baseUrl.trim() === '') {
		throw inputFailure('The Workchat credential has no Base URL', FIX_BASE_URL);
	}
	const url = baseUrl.trim().replace(/\/+$/, '');
	if (!/^https?:\/\//i.test(url)) {
		throw inputFailure('The Base URL does not begin with https:// or http://', FIX_BASE_URL);
	}
	if (!URL.canParse(url) || /[?#]/.test(url)) {
		throw inputFailure('The Base URL is not the address of a service', FIX_BASE_URL);
	}
	return url;
}
