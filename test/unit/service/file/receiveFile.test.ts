import { brotliCompressSync, gzipSync } from 'node:zlib';

import { downloadEach, type Served } from '../../../support/downloads';
import { CONTINUE } from '../../../support/messages';
import { json, useOwnServer } from '../../../support/ownServer';
import { DOWNLOAD, KEY, resultOf, stored, workflowOf } from '../../../support/setup';
import { eventually } from '../../../support/turns';

const own = useOwnServer();

const FILE = Buffer.from(`\0\0\0\x18ftypmp42${'\0\x07'.repeat(2500)}`, 'latin1');
const CSV = 'name,amount\nZoë,12\n';
const PAGE = '<!doctype html><p>Sorry</p>';
const NO = '{"ok":false,"code":7,"message":"no"}';
const LARGE_NO = `{"ok":false,"a":"${'x'.repeat(1e6)}"}`;
const LIST = '[{"name":"x"}]';

test.each([
	[404, 1, /^The link may have expired/],
	[407, 1, /^Check the proxy/],
	[429, 2, /^The link may have expired/],
	[500, 2, /^The link may have expired/],
])(
	'a link with HTTP %d is an error after %d tries, with the advice %p',
	async (status, tries, advice) => {
		const [result] = await downloadEach(own, 'link', [{ content: FILE, status }], { maxTries: 2 });
		expect(result?.error?.message).toMatch(
			/^The file's server localhost:\d+ did not send the file, or only a part of it \(HTTP \d+, request ID svc_1\)$/,
		);
		expect(result?.error?.description).toMatch(advice);
		expect(own.requests.map(({ key }) => key)).toEqual(
			Array(tries).fill([KEY, 'undefined']).flat(),
		);
	},
);

async function downloadOne(parameters: object, more: object = {}) {
	const keys = { fileAeskey: 'x', fileAuthkey: 'x', fileUrl: own.url };
	const file = { ...more, ...keys, fileSize: 1, fileType: 5 };
	return await own.engine.run(workflowOf([file], { ...DOWNLOAD, ...parameters }, CONTINUE));
}

test('a file that breaks off is not stored, and no compression is requested', async () => {
	const codings: unknown[] = [];
	const before = await stored(own);
	own.answer = (_, response, { url, headers }) => {
		codings.push(headers['accept-encoding']);
		if (url !== '/file') return json(response, { ok: true, code: 0, data: `${own.url}/file` });
		response.writeHead(200, { 'content-length': 2 * FILE.length });
		response.write(FILE, () => response.destroy());
	};
	const { items } = resultOf(await downloadOne({ options: { maxTries: 1 } }));
	const error = { message: expect.stringMatching(/closed the connection before its answer was/) };
	expect(items).toMatchObject([{ json: { error } }]);
	expect(await stored(own)).toEqual(before);
	expect(codings).toEqual(['identity', 'identity']);
});

test('the node closes the connection of a body that it does not use', async () => {
	let isOpen = true;
	own.answer = (_, response) => {
		const send = (): void => void (response.destroyed || response.write(Buffer.alloc(1e6), send));
		response.on('close', () => (isOpen = false));
		send();
	};
	await downloadOne({ output: 'envelope' });
	await eventually(() => !isOpen);
});

const as = (type: string) => ({ 'content-type': type });
const attached = (name: string) => ({ 'content-disposition': `attachment; filename=${name}` });
const packed = (coding: string, content: Buffer) => {
	return { content, headers: { 'content-encoding': coding } };
};

/** Complete files. File Types 1 to 4 request an image or a video. */
const FILES: Record<string, Served> = {
	media: { content: FILE, fileType: 4 },
	'media declared as JSON': { content: FILE, fileType: 1, headers: as('application/json') },
	'media without a length': { content: FILE, fileType: 4, hasNoLength: true },
	text: { content: CSV },
	'a PDF that is text': { content: '%PDF-1.4 1 0 obj', headers: attached('a.pdf') },
	'a page with a name': { content: PAGE, headers: attached('page.html') },
	'JSON with a name': { content: LIST, headers: attached('data.json') },
	'a large JSON with a name': { content: LARGE_NO, headers: attached('data.json') },
	'content that n8n decodes': packed('gzip', gzipSync(FILE)),
	'content without an encoding': packed('identity', FILE),
	'content in chunks': packed('aws-chunked', FILE),
};
/** Responses that are not a file. */
const NO_FILES: Record<string, Served> = {
	nothing: { content: '' },
	'nothing with a name': { content: '', headers: attached('a.txt') },
	'white space': { content: ' \n' },
	'a page': { content: PAGE },
	JSON: { content: LIST },
	'text as media': { content: CSV, fileType: 2 },
	'text that is called a video': { content: 'Sorry', headers: attached('a.mp4') },
	'a refusal that has a name': { content: NO, headers: attached('data.json') },
	'a part of a file': { content: FILE, status: 206 },
	'content encoded twice': packed('gzip, gzip', gzipSync(gzipSync(FILE))),
	'content with two encodings': packed('br, gzip', gzipSync(brotliCompressSync(FILE))),
	'an encoding that n8n does not know': packed('zstd, zstd', FILE),
};

describe.each(['link', 'body'] as const)('as a %s', (way) => {
	test('a file is stored completely', async () => {
		const results = await downloadEach(own, way, Object.values(FILES));
		const lost = Object.entries(FILES).filter(([name, { content }], index) => {
			const original = name === 'content that n8n decodes' ? FILE : Buffer.from(content);
			return results[index]?.stored?.equals(original) !== true;
		});
		expect(lost).toEqual([]);
	});

	test('a response that is not a file is an error, and is not stored', async () => {
		const results = await downloadEach(own, way, Object.values(NO_FILES));
		const taken = Object.keys(NO_FILES).filter((_, index) => {
			const { binary, error } = results[index]!;
			return binary !== undefined || (way === 'link' ? error?.outcome !== 'rejected' : !error);
		});
		expect(taken).toEqual([]);
	});
});

/** Content of links with these extensions, with any content type; `no` if it is not a file. */
test.each<[ends: string, content: string, isFile?: 'no']>([
	['html', PAGE],
	['json geojson har ipynb log md txt', '{"a":{}}'],
	['csv vcf xml log md txt', 'Hello'],
	['json txt', '{"code":7,"msg":"no"}', 'no'],
	['csv', '{"error":"no"}', 'no'],
	['md', '<h1 align="center">Name</h1>'],
	['txt md', PAGE, 'no'],
	['xml', '<?xml version="1.0"?><data/>'],
	['xml', '<?xml version="1.0"?>\n<Error><Code>AccessDenied</Code></Error>', 'no'],
	['bin', '{"a":{}}', 'no'],
])(
	'a link that ends in %s, with the content %j, is stored as a file: %s',
	async (ends, content, ...[isFile]) => {
		const types = ['text/html', 'application/json; charset=utf-8', 'application/octet-stream'];
		const all = ends
			.split(' ')
			.flatMap((end) => types.map((type) => ({ content, name: `a.${end}`, headers: as(type) })));
		const results = await downloadEach(own, 'link', all);
		const expected = results.map(() => (isFile ? undefined : content));
		expect(results.map(({ stored: bytes }) => bytes?.toString())).toEqual(expected);
	},
);

test('an error shows the refusal of a link, and an envelope is no file, even with a file name', async () => {
	const called = { content: '{"code":0}', headers: attached('a.json') };
	const [envelope] = await downloadEach(own, 'body', [called]);
	expect(envelope?.error?.message).toMatch(/without anything that looks like a file/);
	const [result] = await downloadEach(own, 'link', [{ content: NO, name: 'a.json' }]);
	expect(result?.error?.message).toMatch(/a message instead of the file: no \(code 7/);
});

/** A ZIP file, which may have any format inside. */
const ARCHIVE = Buffer.from('PK\x03\x04\0');
test.each<[name: string, content: Buffer, type: string]>([
	['发票.ofd', ARCHIVE, 'application/zip'],
	['a.et', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'application/x-cfb'],
	['a.bak', Buffer.from([0xff, 0, 3]), 'application/octet-stream'],
	['a.bak', Buffer.from('words'), 'text/plain'],
	['a.txt', Buffer.from('\ufeffabc', 'utf16le'), 'text/plain'],
	['a.docx', ARCHIVE, 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
])(
	'%s with the content %j keeps its name and gets the right type',
	async (name, content, mimeType) => {
		const served = { content, name: encodeURI(name), headers: as('application/octet-stream') };
		const [result] = await downloadEach(own, 'link', [served]);
		expect(result?.binary).toMatchObject({ fileName: name, mimeType });
	},
);

/** Downloads an item with a file name, by a link with this end and this content. */
async function downloadLinked(link: string, content: string, fileName: string, name = '') {
	const data = { file: `${own.url}/at/${link}`, name };
	own.answer = (_, response, { url }) => {
		if (!url?.startsWith('/at/')) return json(response, { ok: true, code: 0, data });
		if (url.endsWith('?attached')) response.writeHead(200, attached('e.pdf'));
		return response.end(content);
	};
	return resultOf(await downloadOne({ specifyFile: 'input' }, { fileName })).items[0];
}

/** The names in the item, in the response and in the link, and the name of the output. */
test.each<[item: string, answer: string, link: string, name: string]>([
	['报价单 11月.pdf', '', '5f3c9a7c21.pdf', '报价单 11月.pdf'],
	['报价单 11月.pdf', '', '5f3c9a7c21.bin', '报价单 11月.pdf'],
	['a.pdf', '', '1728000000000-0.dat', 'a.pdf'],
	['a.pdf', '', 'download.php', 'a.pdf'],
	['a.pdf', '', 'b', 'a.pdf'],
	['a.v2.pdf', '', 'b.pdf', 'a.v2.pdf'],
	['x/a.pdf', '', 'b.pdf', 'a.pdf'],
	['报告', '', 'b.pdf', 'b.pdf'],
	['报告', '', 'b', '报告.pdf'],
	['合同 v1.2', '', 'b.pdf', 'b.pdf'],
	['', '', 'b.pdf', 'b.pdf'],
	['', 'c.pdf', 'b.pdf', 'c.pdf'],
	['a.pdf', 'c.pdf', 'b.pdf', 'c.pdf'],
	['a.pdf', 'c', 'b.pdf', 'a.pdf'],
	['a.pdf', 'c.pdf', 'b.pdf?attached', 'e.pdf'],
	['', 'c', 'b?filename=d.pdf', 'd.pdf'],
	['a.pdf', '', 'b?filename=d.pdf', 'a.pdf'],
])(
	'with %j in the item, %j in the response and %j in the link, the file is named %j',
	async (...names) => {
		const [fileName, answered, link, name] = names;
		const item = await downloadLinked(link, '%PDF-1.7\n\0', fileName, answered);
		expect(item?.binary?.data?.fileName).toBe(name);
	},
);

test('a refusal is not stored, even if the item has a file name', async () => {
	const item = await downloadLinked('b.bin', '{"error":"expired"}', 'a.json');
	expect(item?.json).toMatchObject({ error: { outcome: 'rejected' } });
});

test('a page in base64 is stored without a name, and a refusal is not stored', async () => {
	const results = await downloadEach(own, 'dataUri', [{ content: PAGE }, { content: NO }]);
	expect(results.map(({ stored: bytes }) => bytes?.toString())).toEqual([PAGE, undefined]);
});
