import { Engine } from '../../../dev/engine/engine';
import { samples } from '../../../dev/sandbox/samples';
import type { DownloadResponse } from '../../../dev/sandbox/server';
import { downloadEach, WAYS } from '../../support/downloads';
import { everyNth } from '../../support/everyNth';
import { useOwnServer } from '../../support/ownServer';
import { realFiles } from '../../support/realFiles';
import { NODE, useBench, useDownload } from '../../support/setup';

const bench = useBench();
const own = useOwnServer();
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

test.each(WAYS)('files as people send them arrive whole, as what they are: as %s', async (way) => {
	const isNamed = way === 'link' || way === 'body';
	const sent = everyNth(realFiles, 2);
	const served = sent.map(({ content, fileType, name, mimeType }) => ({
		...{ content, fileType, fileSize: content.length },
		...(isNamed && { name, type: mimeType, disposition: `attachment; filename="${name}"` }),
	}));
	const arrived = (await downloadEach(own, way, served)).map(({ error, stored, binary }, index) => {
		const { name, content } = sent[index]!;
		return [name, error, stored?.equals(content), binary?.mimeType];
	});
	expect(arrived).toEqual(
		sent.map(({ name, mimeType, provenType = 'text/plain' }) => {
			return [name, undefined, true, isNamed ? mimeType : provenType];
		}),
	);
});

const TEXT: DownloadResponse = {
	as: 'link',
	content: Buffer.from('Sorry'),
	headers: {},
	linkName: 'a.txt',
};
const OTHER_SIZE = { parameters: { file: '={{ ({ ...$json, fileSize: 5 }) }}' } };
test.each<[RegExp, Parameters<typeof download>[1]]>([
	[/holds a file of more than 0\.008 MB/, { options: { maxFileSize: 0.008 } }],
	[
		/gave 8114 bytes, .* 'File Size' says 5/,
		{ options: { requireExactSize: true }, ...OTHER_SIZE },
	],
	[/at the File Location "nowhere"/, { options: { fileLocation: 'nowhere' } }],
	[/answered with a message instead of the file/, { answer: TEXT }],
])('a video may be refused: %s', async (message, how) => {
	expect((await download([video], how)).error?.message).toMatch(message);
});

test('a size that differs, and text as a document, are none', async () => {
	const { run, items } = await download([document], {
		answer: TEXT,
		options: { requireExactSize: '={{ "true" }}' },
	});
	expect(items[0]?.json.file).toMatchObject({ bytes: 5 });
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
