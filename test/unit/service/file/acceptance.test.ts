import { Readable } from 'node:stream';

import { isFile } from '../../../../nodes/Workchat/service/file/acceptance';
import { openResponse } from '../../../../nodes/Workchat/service/http/http';
import { Body } from '../../../../nodes/Workchat/service/response/body';
import type { TextKind } from '../../../../nodes/Workchat/service/text/textKind';
import { downloadEach, WAYS, type Served } from '../../../support/downloads';
import { useOwnServer } from '../../../support/ownServer';
import { everyNth } from '../../../support/everyNth';
import { wording } from '../../../support/wording';

/** What a service says instead of a file is no file, whatever its headers call it. */

async function isFileFrom(
	text: string,
	headers: object,
	linkName: string,
	isMedia = false,
): Promise<boolean> {
	const send = async () => ({ statusCode: 200, headers, body: Readable.from([Buffer.from(text)]) });
	const response = await openResponse(send, { timeout: 1000 }, wording);
	const body = await Body.of(response);
	const isWanted = await isFile(body, { linkName, isMedia }, () => false);
	body.discard();
	return isWanted;
}

describe.each<[TextKind, string]>([
	['page', 'html'],
	['json', 'json'],
])('a %s', (kind, extension) => {
	test.each<[string | undefined, string, boolean]>([
		[undefined, `a.${extension}`, true],
		[undefined, `a.${extension.toUpperCase()}`, true],
		['attachment', '', kind === 'page'],
		['attachment; filename=README', '', true],
		['inline; filename=a.log', 'video.mp4', true],
		['attachment; filename=VIDEO.MP4', `a.${extension}`, false],
		["inline; filename*=UTF-8''video%2Emp4", '', false],
		['inline; filename="report.docx"', '', false],
		['inline; filename="a.jfif"', '', false],
		['attachment', 'voice.amr', false],
		[undefined, 'video.mp4', false],
		[undefined, 'a.txt', false],
		['inline', '', false],
	])('with the header %j behind a link to %j is a file: %j', async (header, linkName, expected) => {
		const text = kind === 'page' ? '<html>' : '{"a":1}';
		expect(await isFileFrom(text, { 'content-disposition': header }, linkName)).toBe(expected);
	});
});

const PROLOG =
	'<?xml version="1.0"?>\n<!-- drawn -->\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd" [ <!ENTITY ns "x"> ]>';
test.each([
	['an image with a document type', `${PROLOG}<svg xmlns="x"/>`, {}, '', true],
	['an image with a prefix', '<svg:svg xmlns:svg="x"/>', {}, '', true],
	['an image that is called a page', '<svg/>', { 'content-type': 'text/html' }, 'a.svg', true],
	['an image after a long comment', `<!--${'x'.repeat(9000)}--><svg/>`, {}, 'a.svg', true],
	['a playlist that is called a page', '#EXTM3U\n', { 'content-type': 'text/html' }, '', true],
	['words that are called a playlist', 'expired', {}, 'a.m3u8', false],
	['markup that is called an image', '<p>gone</p>', {}, 'a.svg', false],
	['a fault that is called an image', '<?xml version="1.0"?><Fault/>', {}, 'a.svg', false],
	['a document after a byte order mark', '\ufeff{\\rtf1 hello}', {}, 'a.rtf', true],
	['words that are called a document', 'expired', {}, 'a.pdf', false],
])('%s: a file where an image or a video is due?', async (_, text, headers, name, expected) => {
	expect(await isFileFrom(text, headers, name, true)).toBe(expected);
});

const own = useOwnServer();

const REFUSAL = { ok: false, code: 7, message: 'no such file', request_id: 'svc_7' };
const text = JSON.stringify(REFUSAL);
const REFUSALS: Record<string, string> = {
	'a refusal': text,
	'a refusal after both': `\ufeff\n ${text}`,
	'a refusal after a lot of white space': `${'\n'.repeat(3000)}${text}`,
	'a refusal with data': JSON.stringify({ data: { url: 'https://example.com/a.mp4' }, ...REFUSAL }),
	'a refusal with a negative code': JSON.stringify({ ...REFUSAL, code: -1 }),
	'a refusal that says ok': JSON.stringify({ ...REFUSAL, ok: true }),
	'a refusal without more': '{"ok":false,"code":7}',
};
const PAGES: Record<string, string> = {
	'a page': '<!doctype html><title>Sorry</title>',
	'a page after a comment': '<!-- served by x --><html>Sorry</html>',
};
const TYPES = [undefined, 'application/json', 'text/html', 'application/octet-stream', 'video/mp4'];
const DISPOSITIONS = [
	undefined,
	'inline; filename="video.mp4"',
	'attachment; filename=VIDEO.MP4',
	"attachment; filename*=UTF-8''vid%C3%A9o.mp4",
	'attachment; filename="report.pdf"',
];
const MEDIA_TYPES = [undefined, 'text/plain', 'video/mp4'];
/** The name of JSON that somebody sent. */
const NAMED = 'attachment; filename="data.json"';

const WORDS: Record<string, string | Buffer> = {
	words: 'file expired',
	'words in GBK': Buffer.from('cec4bcfed2d1b9fdc6da', 'hex'),
	'words in UTF-16': Buffer.from('\ufefffile expired', 'utf16le'),
	"an object store's error": '<?xml version="1.0"?>\n<Error><Code>AccessDenied</Code></Error>',
	'a page in UTF-16': Buffer.from('\ufeff<!doctype html><title>Sorry</title>', 'utf16le'),
	'a page after blanks': `${' '.repeat(600)}<!doctype html><title>Sorry</title>`,
	'JSON that is no envelope': '{"error":"expired"}',
	'a list': '["expired"]',
	'a code that is none': '{"ok":false,"code":"E7","message":"expired","request_id":"svc_9"}',
	'a refusal after blanks': `${' '.repeat(600)}${text}`,
	'a long refusal': JSON.stringify({ ...REFUSAL, details: 'x'.repeat(5000) }),
};

/** Each content, in each of the given ways to say what it is. */
function combined(contents: Record<string, string | Buffer>, sayings: Array<Partial<Served>>) {
	return Object.entries(contents).flatMap(([what, content]) =>
		sayings.map((saying) => ({ what, content, ...saying })),
	);
}

/** Each with each: every way to say a name, a type and where it is. */
function sayings(dispositions: Array<string | undefined>, names: string[], types = TYPES) {
	return names.flatMap((name) =>
		types.flatMap((type) => dispositions.map((disposition) => ({ name, type, disposition }))),
	);
}

describe.each(['body', 'link'] as const)('%s:', (from) => {
	const names = from === 'link' ? ['', 'video.mp4', 'page.php'] : [''];

	test('neither a refusal nor a page is a video', async () => {
		const attached = [...DISPOSITIONS, 'attachment', 'attachment; filename="x"'];
		// 13, so that each comes with each.
		const refusals = everyNth(combined(REFUSALS, sayings(attached, names)), 13);
		const pages = everyNth(combined(PAGES, sayings(DISPOSITIONS, names)), 13);
		const all = [...refusals, ...pages].map((served) => ({ ...served, fileType: 4 }));
		const results = await downloadEach(own, from, all);
		const wrong = all.filter((_, index) => {
			const { binary, error } = results[index] ?? {};
			const isRefused = index >= refusals.length || error?.outcome === 'rejected';
			return binary || !error || !isRefused;
		});
		expect(wrong).toEqual([]);
	});

	test('a page or JSON that is sent as such is a file, a large one whatever it says', async () => {
		const json = JSON.stringify({ a: 1, message: 'no' });
		const all: Array<Served & { content: string }> = [
			...TYPES.map((type) => ({ type, disposition: NAMED, content: json })),
			{ disposition: NAMED, content: '[{"ok":false,"code":7}]' },
			{ disposition: NAMED, content: JSON.stringify({ code: 'E7', rows: [] }) },
			{ disposition: NAMED, content: `${json.slice(0, -1)},` },
			{ disposition: NAMED, content: JSON.stringify({ ...REFUSAL, rows: 'x'.repeat(1_100_000) }) },
			{ disposition: 'attachment; filename="data.jsonl"', content: `${json}\n${text}` },
			{ disposition: 'attachment; filename="page.html"', content: PAGES['a page']! },
			{ disposition: 'inline; filename=page.html', content: PAGES['a page']! },
		];
		// Of a file's own JSON, a code may mean anything; what the service itself answers is an envelope.
		if (from === 'link') all.push({ disposition: NAMED, content: '{"code":7,"message":"seven"}' });
		const results = await downloadEach(own, from, all);
		expect(results.map(({ error, stored }) => error ?? String(stored))).toEqual(
			all.map(({ content }) => content),
		);
	});

	test('the error tells the words of a refusal, in two pieces too, and what else came', async () => {
		const refusal = WORDS['a code that is none']!;
		const dispositions = ['attachment', undefined, 'attachment; filename="a.json"'];
		const [page, ...refused] = await downloadEach(own, from, [
			{ content: PAGES['a page']!, disposition: 'inline; filename="video.mp4"' },
			...dispositions.map((disposition) => ({ content: refusal, disposition, isSplit: true })),
		]);
		const instead = { link: /a message instead of the file/, body: /a web page instead/ };
		expect(page?.error?.message).toMatch(instead[from]);
		const message = expect.stringMatching(/refused: expired \(/) as string;
		const error = { outcome: 'rejected', request_id: 'svc_9', message };
		expect(refused).toMatchObject(dispositions.map(() => ({ binary: undefined, error })));
	});
});

test.each(WAYS)('no text is an image or a video: as %s', async (way) => {
	const said = sayings([undefined, 'attachment', ...DISPOSITIONS], ['a.mp4'], MEDIA_TYPES);
	const typed = said.flatMap((saying, index) => [
		{ ...saying, fileType: 1 + (index % 3), isSplit: saying.disposition === 'attachment' },
		{ ...saying, fileType: 4 },
	]);
	// So long that it is surely content.
	const end = Buffer.alloc(way === 'base64' ? 800 : 0, ' ');
	const all = everyNth(combined(WORDS, typed), 17).map(({ content, ...more }) => ({
		...more,
		content: Buffer.concat([Buffer.from(content), end]),
	}));
	const results = await downloadEach(own, way, all);
	expect(all.filter((_, index) => !results[index]?.error || results[index].binary)).toEqual([]);
});

test('an answer that is an envelope is one, whatever its headers call it', async () => {
	const bytes = Buffer.from('OggS\0 some sound');
	const data = { content: bytes.toString('base64') };
	const envelope = JSON.stringify({ ok: true, code: 0, data });
	const called = [
		['application/json', undefined],
		['application/octet-stream', 'attachment; filename="video.mp4"'],
		['video/mp4', 'inline; filename="video.mp4"'],
		['text/html', 'attachment'],
	].map(([type, disposition]) => ({ type, disposition }));
	for (const content of [envelope, `\ufeff ${envelope}`, text]) {
		const all = called.map((saying) => ({ ...saying, content, fileType: 4 }));
		const results = await downloadEach(own, 'body', all);
		const refused = { error: { outcome: 'rejected', code: 7, request_id: 'svc_7' } };
		const expected = content === text ? refused : { error: undefined, stored: bytes };
		expect(results).toMatchObject(called.map(() => expected));
	}
});
