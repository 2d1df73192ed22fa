import { Engine } from '../../../dev/engine/engine';
import { samples } from '../../../dev/sandbox/samples';
import type { DownloadResponse } from '../../../dev/sandbox/server';
import { WAYS } from '../../support/downloads';
import { NODE, useBench, useDownload } from '../../support/setup';

const bench = useBench();
const download = useDownload(bench);
const ALL = Object.values(samples);
const { document, largeImage, video } = samples;

/** After their kind. */
const NAMES = ['image.jpg', 'image.jpg', 'thumbnail.png', 'video.mp4', 'file.pdf', 'file.amr'];
test.each(WAYS)(
	'a file as %s comes out byte for byte, with name, type and size, beside the rest of the envelope',
	async (as) => {
		const { files, items, error } = await download(ALL, { answer: { as } });
		expect(error).toBeUndefined();
		expect(files.map((file, index) => file?.equals(ALL[index]!.content))).not.toContain(false);
		const envelope = { ok: true, code: 0, request_id: expect.stringMatching(/^svc_/) as string };
		expect(items).toMatchObject(
			ALL.map(({ name, mimeType, content }, item) => {
				const fileName = as === 'link' || as === 'body' ? name : NAMES[item];
				const file = { fileName, mimeType, bytes: content.length, source: as };
				return {
					json: as === 'body' ? { file } : { ...envelope, file },
					binary: { data: { fileName, mimeType } },
					pairedItem: { item },
				};
			}),
		);
		const [{ json } = {}] = items;
		expect(Object.keys(json ?? {})).toHaveLength(as === 'body' ? 1 : 6);
		expect(JSON.stringify(json)).not.toContain(ALL[0]!.content.toString('base64').slice(0, 40));
	},
);

const TEXT: DownloadResponse = {
	as: 'link',
	content: Buffer.from('a,b,c'),
	headers: { 'content-type': 'text/csv' },
	linkName: 'a.txt',
};
test('a file is looked for at the File Location alone', async () => {
	const { error } = await download([video], { options: { fileLocation: 'nowhere' } });
	expect(error?.message).toMatch(/at the File Location "nowhere"/);
});

test('a size that differs is said, and text of any type is a document', async () => {
	const { run, items } = await download([document], {
		answer: TEXT,
		options: { requireExactSize: '={{ "true" }}' },
	});
	expect(items[0]?.json.file).toMatchObject({ fileName: 'a.txt', mimeType: 'text/csv', bytes: 5 });
	expect(run.data.resultData.runData[NODE]?.[0]?.hints).toMatchObject([
		{ message: expect.stringMatching(/^The size of the file differs from 'File Size'/) as string },
	]);
});

test.each<[string, object, string[], string[]]>([
	['Service Response', { output: 'envelope' }, ['ok', 'code', 'message', 'request_id', 'data'], []],
	['Service Response with Simplify', { output: 'envelope', simplify: true }, ['url'], []],
	['Binary File with Simplify', { simplify: true }, ['url', 'file'], ['data']],
	['another field', { binaryPropertyName: 'scan', simplify: true }, ['url', 'file'], ['scan']],
])('Output: %s', async (_, parameters, keys, fields) => {
	const { items } = await download([document], { parameters });
	expect(Object.keys(items[0]?.json ?? {})).toEqual(keys);
	expect(Object.keys(items[0]?.binary ?? {})).toEqual(fields);
	// A link is fetched only for a file.
	expect(bench.sandbox.requests).toHaveLength(1 + fields.length);
});

test('Service Response of a body that is the file is an error that says what to do', async () => {
	const parameters = { output: 'envelope' };
	const { error } = await download([document], { answer: { as: 'body' }, parameters });
	expect(error?.message).toMatch(/answered with the file itself/);
	expect(error?.description).toMatch(/Set 'Output' to 'Binary File'/);
});

test('options, the output and its field may differ from item to item', async () => {
	const output = '={{ $json.fileType === 1 ? "envelope" : "binary" }}';
	const { items } = await download([document, video, largeImage], {
		parameters: { binaryPropertyName: '={{ "file" + $json.fileType }}', output },
		options: { fileName: '={{ "../" + $json.fileType }}.bin', mimeType: 'application/x-mine' },
	});
	const named = (fileName: string) =>
		expect.objectContaining({ fileName, mimeType: 'application/x-mine' }) as object;
	expect(items.map(({ binary }) => binary)).toEqual([
		{ file5: named('5.bin') },
		{ file4: named('4.bin') },
		undefined,
	]);
});

test('in memory mode the file is in the item', async () => {
	await Engine.start({ credential: {}, binaryMode: 'default' });
	const [item] = (await download([video])).items;
	await Engine.start({ credential: {} });
	expect(item?.binary?.data).toMatchObject({ data: video.content.toString('base64') });
});
