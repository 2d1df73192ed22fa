import { createWriteStream } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import axios, { type AxiosInstance } from 'axios';

import { answerOrders } from '../child';
import type { Done, DownloadWork, Target, Work } from '../work';
import { INSTANCE, MESSAGE, PATHS, RECIPIENT } from './message';

const [target = '', folder = ''] = process.argv.slice(2);
const { url, key, file } = JSON.parse(target) as Target;

answerOrders(async (work: Work): Promise<Done> => {
	const { items: count, concurrency = count } = work;
	const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
	const headers = { 'X-Service-Key': key };
	const client = axios.create({ baseURL: url, headers, httpAgent: agent });
	const from = Date.now();
	let bytes = 0;
	const items = await inTurns(count, concurrency, async (index) => {
		if (work.kind === 'send') return await send(client, index);
		const stored = await download(client, work, join(folder, String(index)));
		bytes += stored;
	});
	const to = Date.now();
	agent.destroy();
	for (let index = 0; index < count; index++)
		await rm(join(folder, String(index)), { force: true });
	return { items, bytes, from, to };
});

/** Does it for each index, some at a time. */
async function inTurns(count: number, most: number, each: (index: number) => Promise<void>) {
	let done = 0;
	const indexes = Array(count).keys();
	const workers = Array.from({ length: most }, async () => {
		for (const index of indexes) {
			await each(index);
			done++;
		}
	});
	await Promise.all(workers);
	return done;
}

async function send(client: AxiosInstance, index: number): Promise<void> {
	const { data } = await client.post(PATHS.send, { ...MESSAGE, toId: `${RECIPIENT}-${index}` });
	if (data.code !== 0) throw new Error(data.message);
}

/** Stores the file, and tells its size. */
async function download(
	client: AxiosInstance,
	{ as }: DownloadWork,
	path: string,
): Promise<number> {
	const wanted = { instance_guid: INSTANCE, ...file };
	if (as === 'body') {
		const { data } = await client.post(PATHS.download, wanted, { responseType: 'stream' });
		return await store(data, path);
	}
	const { data } = await client.post(PATHS.download, wanted);
	if (as === 'link') {
		const { httpAgent } = client.defaults;
		const reply = await axios.get(data.data.url, { httpAgent, responseType: 'stream' });
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
