import {
	ICredentialsHelper,
	type ICredentialDataDecryptedObject,
	type IHttpRequestOptions,
	type INode,
	type IRequestOptionsSimplified,
	type Workflow,
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
		workflow: Workflow,
		node: INode,
	) {
		const { authenticate } = this.nodeTypes.getCredential(typeName);
		if (typeof authenticate !== 'object') throw new Error('Only generic authenticate is supported');
		const headers = Object.entries(authenticate.properties.headers ?? {}).map(([name, value]) => [
			name,
			workflow.expression.getSimpleParameterValue(node, String(value), 'internal', {
				$credentials: credentials,
			}),
		]);
		requestOptions.headers = { ...requestOptions.headers, ...Object.fromEntries(headers) };
		return requestOptions as IHttpRequestOptions;
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
