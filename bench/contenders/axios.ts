import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import axios, { type AxiosInstance } from 'axios';

import { INSTANCE, MESSAGE, PATHS, RECIPIENT, type Target } from '../target';
import type { DownloadWork } from '../work';
import type { Contender } from './contender';

/** The floor: what the requests alone cost in Node.js, over connections that are kept. */
export async function axiosContender(): Promise<Contender> {
	const folder = await mkdtemp(join(tmpdir(), 'axios-'));
	return {
		async perform(work, { url, key, file }) {
			const agent = new Agent({ keepAlive: true, maxSockets: work.concurrency });
			const headers = { 'X-Service-Key': key };
			const client = axios.create({ baseURL: url, headers, httpAgent: agent });
			let bytes = 0;
			const items = await inTurns(work.items, work.concurrency, async (index) => {
				if (work.kind === 'send') return await send(client, index);
				const stored = await download(client, work, file, join(folder, String(index)));
				bytes += stored;
			});
			agent.destroy();
			return { items, bytes };
		},
		stop: async () => await rm(folder, { recursive: true }),
	};
}

/** Does it for each index, some at a time. */
async function inTurns(count: number, most: number, each: (index: number) => Promise<void>) {
	let next = 0;
	let done = 0;
	const workers = Array.from({ length: most }, async () => {
		while (next < count) {
			await each(next++);
			done++;
		}
	});
	await Promise.all(workers);
	return done;
}

async function send(client: AxiosInstance, index: number): Promise<void> {
	const { data } = await client.post(PATHS.send, { ...MESSAGE, toId: RECIPIENT + String(index) });
	if (data.code !== 0) throw new Error(data.message);
}

/** Stores the file, and tells its size. */
async function download(
	client: AxiosInstance,
	{ as }: DownloadWork,
	file: Target['file'],
	path: string,
): Promise<number> {
	const wanted = { instance_guid: INSTANCE, ...file };
	if (as === 'body') {
		const { data } = await client.post(PATHS.download, wanted, { responseType: 'stream' });
		return await store(data, path);
	}
	const { data } = await client.post(PATHS.download, wanted);
	if (as === 'link') {
		const reply = await axios.get(data.data.url, {
			httpAgent: client.defaults.httpAgent,
			responseType: 'stream',
		});
		return await store(reply.data, path);
	}
	const content = Buffer.from(data.data.content, 'base64');
	await writeFile(path, content);
	return content.length;
}

async function store(body: Readable, path: string): Promise<number> {
	const stored = createWriteStream(path);
	await pipeline(body, stored);
	return stored.bytesWritten;
}
