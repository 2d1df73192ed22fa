import type { Sandbox } from './server';

/** The values of a `workchatApi` credential for a sandbox. */
export const credentialOf = ({ url, key }: Pick<Sandbox, 'url' | 'key'>) => ({
	apiKey: key,
	baseUrl: url,
	defaultInstanceGuid: 'fake-instance-guid',
});
