import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { answers } from '../../../dev/n8n/processes';
import { startProgram } from './server';
import type { Here } from './setup';

/** The only account that s3rver knows, with its name as its secret. */
const ACCOUNT = 'S3RVER';

/** An S3 server with one bucket: the values of n8n's credential for it, and what it keeps. */
export async function startS3({ installation, folder: parent }: Here, bucket: string) {
	const folder = join(parent, 's3');
	await mkdir(folder);
	const endpointOf = (port: string) => `http://127.0.0.1:${port}`;
	const port = await startProgram({
		file: installation.bin('s3rver'),
		folder,
		args: (port) => [
			...['--directory', folder, '--configure-bucket', bucket],
			...['--address', '127.0.0.1', '--port', port, '--no-vhost-buckets'],
		],
		env: installation.env,
		ready: async (port) => await answers(`${endpointOf(port)}/${bucket}`),
	});
	const endpoint = endpointOf(port);
	return {
		credential: {
			...{ endpoint, region: 'us-east-1', forcePathStyle: true },
			...{ accessKeyId: ACCOUNT, secretAccessKey: ACCOUNT },
		},
		object: async (key: string) => {
			const response = await fetch(`${endpoint}/${bucket}/${encodeURIComponent(key)}`);
			const content = Buffer.from(await response.arrayBuffer());
			return { content, mimeType: response.headers.get('content-type') };
		},
	};
}
