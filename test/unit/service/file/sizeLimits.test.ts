import { samples } from '../../../../dev/sandbox/samples';
import type { DownloadResponse } from '../../../../dev/sandbox/server';
import { downloadNumbered } from '../../../support/downloads';
import { json, useOwnServer } from '../../../support/ownServer';
import { eventually } from '../../../support/turns';
import { stored, useBench, useDownload } from '../../../support/setup';

const bench = useBench();
const own = useOwnServer();
const download = useDownload(bench);
const { document, video } = samples;

test.each(['link', 'base64', 'body'] as const)(
	'a file of just Max File Size is no larger than that: %s',
	async (as) => {
		const answer: DownloadResponse = { as, content: Buffer.alloc(1e6, 'x\0') };
		const { files, error } = await download([document], { answer, options: { maxFileSize: 1 } });
		expect(error?.message).toBeUndefined();
		expect(files[0]).toHaveLength(1e6);
	},
);

test('a file that is too large is not fetched to its end', async () => {
	let given = 0;
	let isOver = false;
	own.answer = (_, response, { url }) => {
		if (url !== '/file') return json(response, { code: 0, data: `${own.url}/file` });
		response.on('close', () => (isOver = true));
		const part = Buffer.alloc(65_536, 'x');
		const give = (): void => {
			given += part.length;
			if (given < 1e9) response.write(part, give);
		};
		give();
	};
	const [result] = await downloadNumbered(own, [{}], { maxFileSize: 2 });
	expect(result?.error?.message).toMatch(/more than 2 MB/);
	await eventually(() => isOver);
	expect(given).toBeLessThan(100e6); // what fits into the buffers on the way
});

test('a file that announces too much is given up at once', async () => {
	bench.sandbox.misbehave({ kind: 'stall' }, { on: 'file' });
	const answer: DownloadResponse = { as: 'link', content: Buffer.alloc(3e6) };
	const options = { maxFileSize: 2, timeout: 2000 };
	const { error } = await download([document], { answer, options });
	expect(error?.message).toMatch(/more than 2 MB/);
	await eventually(() => bench.sandbox.requests[1]?.endedAt !== undefined);
});

test.each<[string, DownloadResponse, object, RegExp]>([
	['an empty file', { as: 'link', content: 0 }, {}, /gave an empty file/],
	['a file of too much', { as: 'link', content: 3e6 }, { maxFileSize: 2 }, /more than 2 MB/],
	['a body of too much', { as: 'body', content: 3e6 }, { maxFileSize: 2 }, /more than 2 MB/],
	['base64 of too much', { as: 'base64' }, { maxFileSize: 0.0005 }, /more than 0\.0005 MB/],
	[
		'another size than required',
		{ as: 'link', content: 3e6 },
		{ requireExactSize: true },
		/gave 3000000 bytes, but 'File Size' says 610/,
	],
	[
		'another size than required, as base64',
		{ as: 'base64', content: video.content },
		{ requireExactSize: true },
		/but 'File Size' says 610/,
	],
])('%s is an error, and nothing is stored', async (_, answer, options, message) => {
	const before = await stored(bench);
	const { error, items } = await download([document], { answer, options });
	expect(error?.message).toMatch(message);
	if (answer.as !== 'body') expect(error?.message).toMatch(/\(.*request ID svc_\w+\)/);
	expect(items).toHaveLength(0);
	expect(await stored(bench)).toEqual(before);
});

test('another size than File Size is a hint', async () => {
	const answer: DownloadResponse = { as: 'link', content: video.content };
	const { run } = await download([document, document], { answer });
	expect(run.data.resultData.runData.Workchat?.[0]?.hints?.[0]?.message).toMatch(
		/size of the file differs from 'File Size'.*\(items 0, 1, counted from 0\)/,
	);
});
