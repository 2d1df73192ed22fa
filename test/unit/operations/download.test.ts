import { Engine } from '../../../dev/engine/engine';
import { samples } from '../../../dev/sandbox/samples';
import type { DownloadResponse } from '../../../dev/sandbox/server';
import { downloadEach, WAYS, type Served } from '../../support/downloads';
import { useOwnServer } from '../../support/ownServer';
import { realFiles, type RealFile } from '../../support/realFiles';
import { everyNth } from '../../support/everyNth';
import {
	DOWNLOAD,
	INSTANCE,
	KEY,
	resultOf,
	useBench,
	useDownload,
	workflowOf,
} from '../../support/setup';

const bench = useBench();
const download = useDownload(bench);
const ALL = Object.values(samples);
const { document, largeImage, video } = samples;

test.each([
	['fields', { specifyFile: 'fields', ...eachField('={{ $json.', ' }}') }],
	['JSON', { file: '={{ $json }}' }],
])('%s mode sends exactly the six documented fields with their types', async (_, parameters) => {
	const { error } = await download([document], { parameters });
	expect(error).toBeUndefined();
	const [request, link] = bench.sandbox.requests;
	expect(request).toMatchObject({ method: 'POST', url: '/workchat/files/wx-download' });
	expect(request?.headers).toMatchObject({
		'content-type': 'application/json',
		'x-service-key': KEY,
	});
	expect(JSON.parse(request?.rawBody ?? '')).toEqual({
		instance_guid: INSTANCE,
		...bench.sandbox.fieldsOf(document),
	});
	expect(link).toMatchObject({ method: 'GET', isAccepted: true });
	expect(link?.headers).not.toHaveProperty('x-service-key');
	expect(JSON.stringify(link?.headers)).not.toContain(KEY);
});

function eachField(before: string, after: string) {
	const names = ['fileAeskey', 'fileAuthkey', 'fileSize', 'fileType', 'fileUrl'];
	return Object.fromEntries(names.map((name) => [name, before + name + after]));
}

/** After their kind. */
const NAMES = ['image.jpg', 'image.jpg', 'thumbnail.png', 'video.mp4', 'file.pdf', 'file.amr'];
describe.each(['link', 'base64', 'dataUri', 'nested', 'body'] as const)('a file as %s', (as) => {
	const source = as === 'nested' ? 'link' : as;

	test('comes out byte for byte, with name, type and size, beside the rest of the envelope', async () => {
		const { files, items, error } = await download(ALL, { answer: { as } });
		expect(error).toBeUndefined();
		expect(files.map((file, index) => file?.equals(ALL[index]!.content))).toEqual(
			ALL.map(() => true),
		);
		const envelope = { ok: true, code: 0, request_id: expect.stringMatching(/^svc_/) as string };
		expect(items).toMatchObject(
			ALL.map(({ name, mimeType, content }, item) => {
				const fileName = source === 'link' || source === 'body' ? name : NAMES[item];
				const file = { fileName, mimeType, bytes: content.length, source };
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
	});
});

const own = useOwnServer();

/** What is said of a file beside its bytes: whether that tells its type, and how. */
const WORDS: Array<[boolean, (file: RealFile) => Partial<Served>]> = [
	[true, ({ name, mimeType }) => ({ ...attached(name), type: mimeType, name })],
	[true, ({ name }) => ({ ...attached(name), type: 'application/octet-stream', name })],
	[false, () => ({})],
];
const attached = (name: string) => ({ disposition: `attachment; filename="${name}"` });
/** Pages and JSON count as files only with a name. */
const needsName = ({ mimeType, name }: RealFile) =>
	/html|json/.test(mimeType) || /table/.test(name);

test.each(WAYS)('files as people send them arrive whole, as what they are: as %s', async (way) => {
	const isPlain = way === 'base64' || way === 'dataUri';
	const all = everyNth(realFiles, 4).flatMap((file) =>
		WORDS.filter(([isTold]) => isTold || isPlain || !needsName(file)).map(([isTold, wordsOf]) => {
			const { content, fileType } = file;
			const words = { type: undefined, ...wordsOf(file) };
			const isDeclared = way === 'dataUri' ? words.type === file.mimeType : isTold && !isPlain;
			const proven = file.provenType ?? 'text/plain';
			const served = { content, fileType, fileSize: content.length, ...words };
			return { file, served, mimeType: isDeclared ? file.mimeType : proven };
		}),
	);
	const served = all.map((each) => each.served);
	const results = await downloadEach(own, way, served);
	expect(
		results.map(({ error, binary, stored }, index) => ({
			name: all[index]?.file.name,
			error,
			isWhole: stored?.equals(all[index]!.file.content),
			mimeType: binary?.mimeType,
		})),
	).toEqual(
		all.map(({ file: { name }, mimeType }) => ({
			name,
			error: undefined,
			isWhole: true,
			mimeType,
		})),
	);
});

test('the user may say name and type, of which the name becomes a bare one', async () => {
	const options = { fileName: '../my report.pdf', mimeType: 'application/x-mine' };
	const { items } = await download([document], { options });
	const said = { fileName: 'my report.pdf', mimeType: 'application/x-mine' };
	expect(items[0]?.binary?.data).toMatchObject({ ...said, fileExtension: 'pdf' });
	expect(items[0]?.json.file).toMatchObject(said);
});

test('what is left out of a list leaves its place there', async () => {
	const content = document.content.toString('base64');
	const answer: DownloadResponse = { as: 'base64', data: [{ a: 1 }, { b: [content] }] };
	const { items } = await download([document], { answer });
	expect(items[0]?.json.data).toEqual([{ a: 1 }, { b: [null] }]);
});

test.each<[string, object, string[], string[]]>([
	['Service Response', { output: 'envelope' }, ['ok', 'code', 'message', 'request_id', 'data'], []],
	['Service Response with Simplify', { output: 'envelope', simplify: true }, ['url'], []],
	['Binary File with Simplify', { simplify: true }, ['url', 'file'], ['data']],
	[
		'a field of another name',
		{ binaryPropertyName: 'scan', simplify: true },
		['url', 'file'],
		['scan'],
	],
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
		options: { fileName: '={{ $json.fileType }}.bin' },
	});
	expect(items.map(({ binary }) => binary)).toEqual([
		{ file5: expect.objectContaining({ fileName: '5.bin' }) as object },
		{ file4: expect.objectContaining({ fileName: '4.bin' }) as object },
		undefined,
	]);
});

test('in memory mode the file is in the item', async () => {
	const { url: baseUrl } = bench.sandbox;
	const credential = { apiKey: KEY, baseUrl, defaultInstanceGuid: INSTANCE };
	const engine = await Engine.start({ credential, binaryMode: 'default' });
	for (const as of ['link', 'body', 'base64'] as const) {
		bench.sandbox.answerDownloads({ as });
		const run = await engine.run(workflowOf([{ ...bench.sandbox.fieldsOf(video) }], DOWNLOAD));
		const { data } = resultOf(run).items[0]?.binary ?? {};
		expect(data?.id).toBeUndefined();
		expect(data?.data).toBe(video.content.toString('base64'));
	}
	await Engine.start({ credential });
});
