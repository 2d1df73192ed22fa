import {
	ICredentialsHelper,
	type ICredentialDataDecryptedObject,
	type IHttpRequestOptions,
	type INodeCredentialsDetails,
	type IRequestOptionsSimplified,
	type IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';

import type { NodeTypes } from './nodeTypes';

/** One for all nodes, or one for each ID. */
export type Credential =
	| ICredentialDataDecryptedObject
	| ((id: string) => ICredentialDataDecryptedObject);

/** Gives every node its credential, and applies it by `authenticate` as n8n's own helper does. */
export class CredentialsHelper extends ICredentialsHelper {
	/** How often the credential was "decrypted". */
	decryptions = 0;

	constructor(
		private readonly nodeTypes: NodeTypes,
		private readonly credential: Credential,
	) {
		super();
	}

	async getDecrypted(_: IWorkflowExecuteAdditionalData, { id }: INodeCredentialsDetails) {
		this.decryptions++;
		return typeof this.credential === 'function'
			? this.credential(id ?? '')
			: { ...this.credential };
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
