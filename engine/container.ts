import { createRequire } from 'node:module';

/** n8n-core's own copy of its service container: any other copy knows none of its services. */
export const { Container } = createRequire(require.resolve('n8n-core'))(
	'@n8n/di',
) as typeof import('@n8n/di');
