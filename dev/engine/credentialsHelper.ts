import type {
	ICredentialDataDecryptedObject,
	ICredentialsHelper,
	IHttpRequestOptions,
	INodeParameters,
} from 'n8n-workflow';

import type { NodeTypes } from './nodeTypes';

/** Without the methods that OAuth needs. */
type Helper = Omit<
	ICredentialsHelper,
	'getCredentials' | 'updateCredentials' | 'updateCredentialsOauthTokenData'
>;

/**
 * Returns the credential with its expressions resolved for an item, and applies it with its `authenticate`,
 * as n8n's own helper does (n8n 2.40.7, credentials-helper.js).
 */
export class CredentialsHelper implements Helper {
	constructor(
		private readonly nodeTypes: NodeTypes,
		private readonly credential: ICredentialDataDecryptedObject,
	) {}

	getDecrypted: Helper['getDecrypted'] = async (...given) => {
		const [, , , mode, execution, , values] = given;
		if (!values) return { ...this.credential };
		const credential = { ...this.credential } as INodeParameters;
		const { workflow, runExecutionData, runIndex, itemIndex, node } = values;
		const at = [runExecutionData, runIndex, itemIndex, node.name] as const;
		const more = [values.connectionInputData, mode, {}, execution] as const;
		const resolved = workflow.expression.getParameterValue(credential, ...at, ...more);
		return resolved as ICredentialDataDecryptedObject;
	};

	authenticate: Helper['authenticate'] = async (credential, typeName, request) => {
		const { authenticate } = this.nodeTypes.getCredential(typeName);
		if (typeof authenticate !== 'function') throw new Error('Only a function is supported');
		return await authenticate(credential, request as IHttpRequestOptions);
	};

	preAuthentication = async () => undefined;
	runPreAuthentication = async () => undefined;
	getParentTypes = () => [];
	isCredentialUsableByNode = () => true;
	getCredentialsProperties = (type: string) => this.nodeTypes.getCredential(type).properties;
}
