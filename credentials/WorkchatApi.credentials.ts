import type { IAuthenticate, Icon, ICredentialType, INodeProperties } from 'n8n-workflow';

import { validateCredential, assertSameOrigin } from '../nodes/Workchat/service/credential';

/** The API key of a Workchat account, and the address of the service. */
export class WorkchatApi implements ICredentialType {
	name = 'workchatApi';

	displayName = 'Workchat API';

	icon: Icon = {
		light: 'file:../nodes/Workchat/workchat.svg',
		dark: 'file:../nodes/Workchat/workchat.dark.svg',
	};

	// The build fills in the homepage of package.json.
	documentationUrl = 'https://homepage.invalid#credentials';

	properties: INodeProperties[] = [
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description: 'The key that was generated when you registered with the service',
		},
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://workchat.example.com',
			description:
				'Address of the service, as its provider gives it. The API key is sent to this address only.',
		},
		{
			displayName: 'Default Instance GUID',
			name: 'defaultInstanceGuid',
			type: 'string',
			default: '',
			placeholder: 'e.g. 00000000-0000-0000-0000-000000000000',
			description:
				'ID of the online instance, for nodes without an Instance GUID of their own. You get it in the Workchat console by scanning the QR code that brings an instance online.',
		},
	];

	// A function instead of expressions, for two reasons. n8n would evaluate an expression for every
	// request, which takes as long as the request itself. And other nodes can use the credential: n8n
	// would send the key's header to any address that such a node names, and along with redirects
	// (n8n-core 2.41.1, request-helpers/authentication.js; @n8n/backend-network 1.15.1,
	// http/axios/utils.js: getBeforeRedirectFn).
	authenticate: IAuthenticate = async (decrypted, request) => {
		const credential = validateCredential(decrypted);
		assertSameOrigin(request, credential);
		const withoutRedirects = {
			disableFollowRedirect: true,
			followRedirect: false,
			followAllRedirects: false,
		};
		return {
			...request,
			...withoutRedirects,
			headers: { ...request.headers, 'X-Service-Key': credential.apiKey },
		};
	};
}
