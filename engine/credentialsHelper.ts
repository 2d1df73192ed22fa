import {
	ICredentialsHelper,
	type ICredentialDataDecryptedObject,
	type IHttpRequestOptions,
	type IRequestOptionsSimplified,
} from 'n8n-workflow';

import type { NodeTypes } from './nodeTypes';

/** Gives every node the same credential, and applies it by `authenticate` as n8n's own helper does. */
export class CredentialsHelper extends ICredentialsHelper {
	/** How often the credential was "decrypted". */
	decryptions = 0;

	constructor(
		private readonly nodeTypes: NodeTypes,
		private readonly credential: ICredentialDataDecryptedObject,
	) {
		super();
	}

	async getDecrypted() {
		this.decryptions++;
		return { ...this.credential };
	}

	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		typeName: string,
		requestOptions: IHttpRequestOptions | IRequestOptionsSimplified,
	) {
		const { authenticate } = this.nodeTypes.getCredential(typeName);
		if (typeof authenticate !== 'function') throw new Error('Only a function is supported');
		return await authenticate(credentials, requestOptions as IHttpRequestOptions);
	}

	async preAuthentication() {
		return undefined;
	}

	async runPreAuthentication() {
		return undefined;
	}

	getParentTypes() {
		return [];
	}

	isCredentialUsableByNode() {
		return true;
	}

	getCredentialsProperties(type: string) {
		return this.nodeTypes.getCredential(type).properties;
	}

	async getCredentials(): Promise<never> {
		throw new Error('The engine has no credential store');
	}

	async updateCredentials() {}

	async updateCredentialsOauthTokenData() {}
}
