import {
	ICredentialsHelper,
	type ICredentialDataDecryptedObject,
	type ICredentialsExpressionResolveValues,
	type IExecuteData,
	type IHttpRequestOptions,
	type INodeCredentialsDetails,
	type INodeParameters,
	type IRequestOptionsSimplified,
	type IWorkflowExecuteAdditionalData,
	type WorkflowExecuteMode,
} from 'n8n-workflow';

import type { NodeTypes } from './nodeTypes';

/** One for all nodes, or one for each ID. */
export type Credential =
	| ICredentialDataDecryptedObject
	| ((id: string) => ICredentialDataDecryptedObject);

/**
 * Gives every node its credential, with the expressions in it resolved for the item that asks, and
 * applies it by `authenticate`: as n8n's own helper does (n8n 2.40.7, credentials-helper.js).
 */
export class CredentialsHelper extends ICredentialsHelper {
	/** How often the credential was "decrypted". */
	decryptions = 0;

	constructor(
		private readonly nodeTypes: NodeTypes,
		private readonly credential: Credential,
	) {
		super();
	}

	async getDecrypted(
		_additionalData: IWorkflowExecuteAdditionalData,
		{ id }: INodeCredentialsDetails,
		_type: string,
		mode: WorkflowExecuteMode,
		executeData?: IExecuteData,
		_raw?: boolean,
		values?: ICredentialsExpressionResolveValues,
	) {
		this.decryptions++;
		const { credential } = this;
		const stored = typeof credential === 'function' ? credential(id ?? '') : { ...credential };
		if (!values) return stored;
		return values.workflow.expression.getParameterValue(
			stored as INodeParameters,
			values.runExecutionData,
			values.runIndex,
			values.itemIndex,
			values.node.name,
			values.connectionInputData,
			mode,
			{},
			executeData,
		) as ICredentialDataDecryptedObject;
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
