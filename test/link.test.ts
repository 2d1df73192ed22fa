import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

import axios from 'axios';

import { samples } from '../dev/sandbox/samples';
import { startSandbox, type DownloadResponse } from '../dev/sandbox/server';
import { KEY, useBench, useDownload } from './setup';

const bench = useBench();
const download = useDownload(bench);
const { document } = samples;

test('a redirect of the link is followed, without the key', async () => {
	const other = await startSandbox({ key: KEY });
	other.answerDownloads({ as: 'link' });
	const fields = { instance_guid: 'x', ...other.fieldsOf(document) };
	const headers = { 'x-service-key': KEY };
	const { data } = await axios.post<{ data: { url: string } }>(
		`${other.url}/workchat/files/wx-download`,
		fields,
		{ headers },
	);
	bench.sandbox.misbehave({ kind: 'redirect', location: data.data.url }, { on: 'file' });

	const { files } = await download();
	expect(files[0]?.equals(document.content)).toBe(true);
	expect(JSON.stringify(other.requests.at(-1)?.headers)).not.toContain(KEY);
	await other.stop();
});

test.each(['file:///etc/passwd', '/loop'])(
	'a link that redirects to %s leads nowhere',
	async (to) => {
		const server = createServer((_, response) => {
			response.writeHead(302, { location: to }).end();
		}).listen(0);
		const { port } = server.address() as AddressInfo;
		const answer: DownloadResponse = { as: 'link', data: { url: `http://localhost:${port}/loop` } };
		const { error } = await download([document], { answer, options: { maxTries: 2 } });
		server.close();
		expect(error?.message).toMatch(/redirects to where nothing can be fetched/);
		expect(bench.sandbox.requests).toHaveLength(1);
	},
);

test('a file that is only a part of one is refused', async () => {
	const server = createServer((_, response) => {
		response.writeHead(206, { 'content-range': 'bytes 0-3/100' }).end('%PDF');
	}).listen(0);
	const { port } = server.address() as AddressInfo;
	const answer: DownloadResponse = { as: 'link', data: { url: `http://localhost:${port}/a.pdf` } };
	const { error } = await download([document], { answer });
	server.close();
	expect(error?.message).toMatch(/^The file's server does not give the whole file/);
});

test('only the beginning of a page behind a link is read', async () => {
	bench.sandbox.misbehave({ kind: 'stall' }, { on: 'file' });
	const { error } = await download([document], {
		answer: {
			as: 'link',
			linkName: 'x',
			content: Buffer.alloc(1e6, '<p>Sorry</p>'),
			headers: { 'content-type': 'text/html' },
		},
	});
	expect(error?.message).toMatch(/message instead of the file/);
});

test('a gzipped file is unpacked, though nobody asked for gzip', async () => {
	const answer: DownloadResponse = {
		as: 'link',
		content: gzipSync(document.content),
		headers: { 'content-encoding': 'gzip' },
	};
	const { files, error } = await download([document], { answer });
	expect(error?.message).toBeUndefined();
	expect(files[0]?.equals(document.content)).toBe(true);
});
