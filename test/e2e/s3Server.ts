import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { atEnd } from './atEnd';
import type { Installation } from '../../dev/n8n/installation';
import { answers, freePorts, Running } from '../../dev/n8n/processes';

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

/** An S3 server for the tests of one file. */
export function useS3Server(place: { folder: string; installation: Installation }): S3Server {
	const server = {} as S3Server;
	beforeAll(async () => {
		const started = await startS3Server(join(place.folder, 's3'), place.installation);
		const { process, ...rest } = started;
		atEnd(async () => await process.stop());
		Object.assign(server, rest);
	}, 120_000);
	return server;
}

/** s3rver with one bucket; its objects and its log are in `folder`. */
export async function startS3Server(
	folder: string,
	{ bin, env }: Installation,
): Promise<S3Server & { process: Running }> {
	const data = join(folder, 'data');
	await mkdir(data, { recursive: true });
	const [port = 0] = await freePorts(1);
	const endpoint = `http://127.0.0.1:${port}`;
	const bucket = 'received-files';
	const listen = ['--address', '127.0.0.1', '--port', String(port), '--no-vhost-buckets'];
	const process = await Running.start({
		file: bin('s3rver'),
		args: ['--directory', data, ...listen, '--configure-bucket', bucket],
		cwd: folder,
		env,
		log: join(folder, 's3rver.log'),
		ready: async () => await answers(`${endpoint}/${bucket}`),
	});
	const account = 'S3RVER'; // the only one that it knows, with its name as its secret
	return {
		bucket,
		credential: {
			endpoint,
			region: 'us-east-1',
			accessKeyId: account,
			secretAccessKey: account,
			forcePathStyle: true,
		},
		objects: async (prefix) => {
			const list = await fetch(`${endpoint}/${bucket}?list-type=2&prefix=${prefix}`);
			const keys = [...(await list.text()).matchAll(/<Key>(.*?)<\/Key>/g)].map(
				([, key = '']) => key,
			);
			const objects = keys.map(async (key) => {
				const path = key.split('/').map(encodeURIComponent).join('/');
				const object = await readObject(`${endpoint}/${bucket}/${path}`);
				return [key.slice(prefix.length), object] as const;
			});
			return new Map(await Promise.all(objects));
		},
		process,
	};
}

/** s3rver answers an upload shortly before its last bytes are on the disk: these make up the ETag. */
async function readObject(url: string): Promise<S3Object> {
	for (let tries = 100; ; tries--) {
		const { headers, body } = await fetch(url).then(async (response) => ({
			headers: response.headers,
			body: await response.arrayBuffer(),
		}));
		const content = Buffer.from(body);
		const md5 = createHash('md5').update(content).digest('hex');
		if (headers.get('etag') === `"${md5}"` || tries === 0) {
			return { content, mimeType: headers.get('content-type') };
		}
		await wait(100);
	}
}
