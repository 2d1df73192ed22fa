import type { INodeExecutionData } from 'n8n-workflow';

import { Engine } from '../../../dev/engine/engine';
import type { DownloadResponse } from '../../../dev/sandbox/downloads';
import { samples, type Sample } from '../../../dev/sandbox/samples';
import { download as operation } from '../../../nodes/Workchat/operations/download';
import { findFields } from '../../../nodes/Workchat/operations/fields/findFields';
import { WAYS } from '../../support/downloads';
import { CONTINUE } from '../../support/messages';
import { DOWNLOAD, NODE, outputOf, resultOf, useBench, workflowOf } from '../../support/setup';

const bench = useBench();
type More = { answer?: DownloadResponse; options?: object; parameters?: object };
/** Downloads samples, with one try by default. Returns the output, and the files that n8n stored. */
async function download(wanted: Sample[], { answer, ...more }: More = {}) {
	if (answer) bench.sandbox.answerDownloads(answer);
	const options = { maxTries: 1, timeout: 10_000, ...more.options };
	const items = wanted.map((sample) => ({ ...bench.sandbox.fieldsOf(sample) }));
	const parameters = { ...DOWNLOAD, options, ...more.parameters };
	const run = await bench.engine.run(workflowOf(items, parameters));
	const result = resultOf(run);
	const bytesOf = async ({ binary }: INodeExecutionData) =>
		binary?.data && (await bench.engine.bytesOf(binary.data));
	return { run, files: await Promise.all(result.items.map(bytesOf)), ...result };
}

const ALL = Object.values(samples);
const { document, largeImage, video } = samples;

/** From their kind, and numbered if there are several. */
const NAMES = ['image.jpg', 'image-2.jpg', 'thumbnail.png', 'video.mp4', 'file.pdf', 'file.amr'];
test.each(WAYS)(
	'a file as %s is complete, and its item has the rest of the envelope',
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

const FILE = operation.content!;
const KEYS = { fileAeskey: 'fake-key', fileAuthkey: 'fake-authkey' };
const BIG = { fileBigHttpUrl: 'https://a.example/big', fileBigSize: 3 };
const MIDDLE = { fileMiddleHttpUrl: 'https://a.example/mid', fileMiddleSize: '2' };
const THUMB = { fileThumbHttpUrl: 'https://a.example/thumb', fileThumbSize: 1 };
const OWN = { fileHttpUrl: 'https://a.example/own', fileSize: 9 };
const from = (link: string, type: number) => `File Type ${type} was taken from ${link}`;
/** The values that are found in an object, and the notice. */
test.each<[object, url: string, size: number, type: number, notice?: string]>([
	[{ ...THUMB, ...MIDDLE, ...BIG }, 'big', 3, 1, from('fileBigHttpUrl', 1)],
	[{ ...THUMB, ...MIDDLE, ...BIG, fileBigSize: 0 }, 'mid', 2, 2, from('fileMiddleHttpUrl', 2)],
	[{ ...OWN, ...THUMB }, 'own', 9, 5, from('fileHttpUrl', 5)],
	[{ ...OWN, duration: 3 }, 'own', 9, 4, from('fileHttpUrl', 4)],
	[{ ...THUMB, FILE_AES_KEY: '' }, 'thumb', 1, 3, from('fileThumbHttpUrl', 3)],
	[{ ...BIG, ...THUMB, fileType: 3 }, 'thumb', 1, 3, from('fileThumbHttpUrl', 3)],
	[{ ...BIG, fileType: '5', fileSize: 7 }, 'big', 3, 5, from('fileBigHttpUrl', 5)],
	[{ ...BIG, fileUrl: 'https://a.example/x', fileSize: 7, fileType: 2 }, 'x', 7, 2],
	[{ ...OWN, quoted: { ...KEYS, ...BIG } }, 'own', 9, 5, from('fileHttpUrl', 5)],
])('the node finds a file under the names of compatible services: %j', async (...row) => {
	const [more, link, size, type, notice] = row;
	const { body, problems, notices } = await findFields(FILE, { a: { ...KEYS, ...more } }, 'it');
	const { fileUrl, fileSize, fileType } = body;
	expect([fileUrl, fileSize, fileType]).toEqual([`https://a.example/${link}`, size, type]);
	expect([problems, notices]).toEqual([[], notice ? [{ text: notice }] : []]);
});

test.each([
	{ ...BIG, fileAeskey: 'fake-key' },
	{ ...KEYS, fileBigHttpUrl: BIG.fileBigHttpUrl },
	{ ...KEYS, coverImageHttpUrl: 'https://a.example/c', coverImageSize: 5 },
])(
	'without a key, a size or a link, the node says that the file is missing: %j',
	async (object) => {
		expect((await findFields(FILE, object, 'the item')).problems).not.toEqual([]);
	},
);

test('only a File Name that was sanitized is numbered, and an expression left as text is refused', async () => {
	bench.sandbox.answerDownloads({ as: 'base64' });
	const namesOf = async (...names: string[]) => {
		const items = names.map((name) => ({ ...bench.sandbox.fieldsOf(document), name }));
		const options = { fileName: '={{ $json.name }}' };
		const run = await bench.engine.run(workflowOf(items, { ...DOWNLOAD, options }, CONTINUE));
		return resultOf(run).items.map(({ json: { file, error } }) => file ?? error);
	};
	const named = (fileName: string) => expect.objectContaining({ fileName }) as object;
	expect(await namesOf('x/1.pdf', 'y/1.pdf')).toEqual([named('1.pdf'), named('1-2.pdf')]);
	expect(await namesOf('1.pdf', '1.pdf')).toEqual([named('1.pdf'), named('1.pdf')]);
	const message = expect.stringMatching(/^File Name is an expression .* left as text/) as string;
	expect(await namesOf('{{ $json.fileName }}')).toMatchObject([{ message, outcome: 'notSent' }]);
	expect(bench.sandbox.requests).toHaveLength(4);
});

test.each([
	[video, largeImage, 'video'],
	[largeImage, video, 'image'],
	[samples.thumbnail, samples.voice, 'image'],
	[document, video, undefined],
])('a file of another type than requested gives a notice: case %#', async (...row) => {
	const [requested, { content }, expected] = row;
	const { run } = await download([requested], { answer: { as: 'link', content } });
	const hints = JSON.stringify(run.data.resultData.runData[NODE]?.[0]?.hints);
	expect(/does not look like the (\w+) that 'File/.exec(hints)?.[1]).toBe(expected);
});

const MODES = ['separate', 'combined'] as const;
test.each(MODES)('in the binary mode %s, an item keeps its other files', async (binaryMode) => {
	const parameters = { ...DOWNLOAD, ...bench.sandbox.fieldsOf(document), specifyFile: 'fields' };
	const workflow = workflowOf([{}], parameters);
	const first = workflow.nodes.find(({ name }) => name === NODE)!;
	const second = { ...first, name: 'Second', id: 'second' };
	const third = { ...first, name: 'Third', id: 'third' };
	second.parameters = { ...first.parameters, binaryPropertyName: 'more' };
	workflow.nodes.push(second, third);
	const to = (node: string) => ({ main: [[{ node, type: 'main' as const, index: 0 }]] });
	Object.assign(workflow.connections, { [NODE]: to('Second'), Second: to('Third') });
	const run = await bench.engine.run({ ...workflow, settings: { binaryMode } });
	const [one, two, three] = [NODE, 'Second', 'Third'].map((name) => {
		const { json, binary } = outputOf(run, name)[0]!;
		return binaryMode === 'combined' ? (json._files as typeof binary) : binary;
	});
	const numbered = one!.data!.fileName!.replace('.', '-2.');
	expect(two).toMatchObject({ data: one!.data, more: { fileName: numbered } });
	expect(three).toEqual({ ...two, data: expect.anything() as unknown });
	expect(three!.data!.fileName).toBe(one!.data!.fileName);
	expect(three!.data!.id).not.toBe(one!.data!.id);
});

const NO_FILES: Array<[unknown]> = [[null], ['a'], [['a']], [{ a: null, b: { fileName: 5 } }]];
test.each(NO_FILES)('the node does not take a column _files with %j for files', async (_files) => {
	bench.sandbox.answerDownloads({ as: 'base64' });
	const item = { ...bench.sandbox.fieldsOf(document), _files: _files as string };
	const { error, items } = resultOf(await bench.engine.run(workflowOf([item], DOWNLOAD)));
	expect([error, items[0]?.json.file]).toMatchObject([undefined, { fileName: 'file.pdf' }]);
});

const PICTURE = { ...KEYS, ...BIG, ...MIDDLE, ...THUMB };
const CHOSEN = { ...KEYS, fileUrl: MIDDLE.fileMiddleHttpUrl, fileSize: 2, fileType: 2 };
const [BIG1, MIDDLE2, THUMB3] = ['Big', 'Middle', 'Thumb'].map(
	(size, index) => `file${size}HttpUrl (File Type ${index + 1})`,
);
test.each<[item: object, others: string | undefined]>([
	[{ msgData: PICTURE }, `${MIDDLE2}, ${THUMB3}`],
	[{ file: CHOSEN, event: { msgData: PICTURE }, body: [PICTURE] }, `${BIG1}, ${THUMB3}`],
	[{ ...PICTURE, fileAuthkey: 7 }, `${MIDDLE2}, ${THUMB3}`],
	[{ file: CHOSEN, other: { ...PICTURE, fileAuthkey: 'another' } }, undefined],
])(
	'if a link fails, the error names the other links to this file, and to no other: case %#',
	async (item, others) => {
		bench.sandbox.misbehave({ kind: 'refuse', code: 500, message: '文件下载失败' }, { times: 1 });
		bench.sandbox.misbehave({ kind: 'httpError', status: 500 });
		for (const specifyFile of ['input', 'json']) {
			const file = specifyFile === 'json' ? JSON.stringify(item) : '';
			const parameters = { ...DOWNLOAD, specifyFile, file, options: { maxTries: 1 } };
			const items = [specifyFile === 'input' ? item : {}];
			const { error } = resultOf(await bench.engine.run(workflowOf(items as never, parameters)));
			const [, named] =
				/, or use another link to it: (.*?)\.(?: |$)/.exec(error?.description ?? '') ?? [];
			expect(named).toBe(others);
		}
	},
);

test('with a File Location, the file is not searched elsewhere', async () => {
	const { error } = await download([video], { options: { fileLocation: 'nowhere' } });
	expect(error?.message).toMatch(/at the File Location "nowhere"/);
});

test('a different size gives a notice, and any text is a valid document', async () => {
	const headers = { 'content-type': 'text/csv' };
	const { run, items } = await download([document], {
		answer: { as: 'link', content: Buffer.from('a,b,c'), headers, linkName: 'a.txt' },
		options: { requireExactSize: '={{ "true" }}' },
	});
	expect(items[0]?.json.file).toMatchObject({ fileName: 'a.txt', mimeType: 'text/csv', bytes: 5 });
	expect(run.data.resultData.runData[NODE]?.[0]?.hints).toMatchObject([
		{ message: expect.stringMatching(/^The size of the file differs from 'File Size'/) as string },
	]);
});

test.each<[string, object, string[], string[]]>([
	['Service Response', { output: 'envelope' }, ['ok', 'code', 'message', 'request_id', 'data'], []],
	['Service Response with Simplify', { output: 'envelope', simplify: true }, ['cloudUrl'], []],
	['Binary File with Simplify', { simplify: true }, ['cloudUrl', 'file'], ['data']],
	['another field', { binaryPropertyName: 'scan', simplify: true }, ['cloudUrl', 'file'], ['scan']],
	['no field', { binaryPropertyName: '={{ "" }}', simplify: true }, ['cloudUrl', 'file'], ['data']],
])('the node returns what its parameters ask for: %s', async (_, parameters, keys, fields) => {
	const { items } = await download([document], { parameters });
	expect(Object.keys(items[0]?.json ?? {})).toEqual(keys);
	expect(Object.keys(items[0]?.binary ?? {})).toEqual(fields);
	// A link is fetched only for a file.
	expect(bench.sandbox.requests).toHaveLength(1 + fields.length);
});

test('with Service Response, a body that is the file is an error with advice', async () => {
	const parameters = { output: 'envelope' };
	const { error } = await download([document], { answer: { as: 'body' }, parameters });
	expect(error?.message).toMatch(/answered with the file itself/);
	expect(error?.description).toMatch(/Set 'Output' to 'Binary File'/);
});

test('each item has its own options, output and binary field', async () => {
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

test('in the binary mode for memory, the file is in the item', async () => {
	await Engine.start({ credential: {}, binaryMode: 'default' });
	const [item] = (await download([video])).items;
	await Engine.start({ credential: {} });
	expect(item?.binary?.data).toMatchObject({ data: video.content.toString('base64') });
});
