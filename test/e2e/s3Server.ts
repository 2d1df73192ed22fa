import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import type { Installation } from '../../dev/n8n/installation';
import { answers } from '../../dev/n8n/processes';
import { startProgram } from './server';

export interface S3Object {
	content: Buffer;
	mimeType: string | null;
}

export interface S3Server {
	bucket: string;
	/** The values of n8n's S3 credential. */
	credential: Record<string, string | boolean>;
	/** The objects whose keys begin with `prefix`, by the rest of their keys. */
	objects(prefix: string): Promise<Map<string, S3Object>>;
}

/** An S3 server for the tests of one file: s3rver with one bucket. */
export function useS3Server(place: { folder: string; installation: Installation }): S3Server {
	const bucket = 'received-files';
	const server = { bucket } as S3Server;
	beforeAll(async () => {
		const folder = join(place.folder, 's3');
		const data = join(folder, 'data');
		await mkdir(data, { recursive: true });
		const where = (port: string) => `http://127.0.0.1:${port}`;
		const port = await startProgram({
			file: place.installation.bin('s3rver'),
			folder,
			args: (port) => [
				...['--directory', data, '--configure-bucket', bucket],
				...['--address', '127.0.0.1', '--port', port, '--no-vhost-buckets'],
			],
			env: place.installation.env,
			ready: async (port) => await answers(`${where(port)}/${bucket}`),
		});
		const account = 'S3RVER'; // the only one that it knows, with its name as its secret
		server.credential = {
			endpoint: where(port),
			region: 'us-east-1',
			accessKeyId: account,
			secretAccessKey: account,
			forcePathStyle: true,
		};
		server.objects = async (prefix) => await readObjects(`${where(port)}/${bucket}`, prefix);
	}, 120_000);
	return server;
}

async function readObjects(bucket: string, prefix: string): Promise<Map<string, S3Object>> {
	const list = await fetch(`${bucket}?list-type=2&prefix=${prefix}`);
	const keys = [...(await list.text()).matchAll(/<Key>(.*?)<\/Key>/g)].map(([, key = '']) => key);
	const objects = keys.map(async (key) => {
		const path = key.split('/').map(encodeURIComponent).join('/');
		return [key.slice(prefix.length), await readObject(`${bucket}/${path}`)] as const;
	});
	return new Map(await Promise.all(objects));
}

/** s3rver answers an upload shortly before its last bytes are on the disk: these make up the ETag. */
async function readObject(url: string): Promise<S3Object> {
	for (let tries = 100; ; tries--) {
		const response = await fetch(url);
		const { headers } = response;
		const content = Buffer.from(await response.arrayBuffer());
		const md5 = createHash('md5').update(content).digest('hex');
		if (headers.get('etag') === `"${md5}"` || tries === 0) {
			return { content, mimeType: headers.get('content-type') };
		}
		await wait(100);
	}
}
