import { pathOf } from '../../../../nodes/Workchat/common/json';
import type { Envelope } from '../../../../nodes/Workchat/service/envelope';
import { locateFile } from '../../../../nodes/Workchat/service/file/locateFile';
import { sniffMimeType } from '../../../../nodes/Workchat/service/file/mimeType';
import { realFiles } from '../../../support/realFiles';
import { about } from '../../../support/about';

const known = { ...about, secrets: ['fake-secret-key'] };
const SENT = 'https://cdn.example.com/sent/a?x=1';

type Given = { fileLocation?: string; fileSize?: number; fileType?: number };
/** The content that is found, or the link; and the rest of the data. */
async function locate(
	data: unknown,
	{ fileLocation = '', fileSize = 5, fileType = 5 }: Given = {},
) {
	const envelope = { code: 0, data: structuredClone(data) } as Envelope;
	const body = { fileType, fileUrl: SENT, fileAeskey: 'f'.repeat(32) };
	const found = await locateFile(envelope, { fileLocation, fileSize, body }, known);
	const file = found.source === 'link' ? found.link.href : found.content;
	found.remove();
	const { node, name, notice } = found;
	return { file, place: pathOf(node), name, notice, rest: envelope.data };
}
/** What is found, or the error. */
const foundIn = async (data: unknown, given?: Given) =>
	await locate(data, given).then(
		({ file }) => file,
		({ message }) => String(message),
	);

/** More than one slice of base64, with every kind of padding; and the shortest with magic bytes. */
const bytes = (length: number) => Buffer.from(Array.from({ length }, (_, index) => index * 7));
const proven = realFiles.flatMap(([, , file]) =>
	sniffMimeType(file) ? [file.subarray(0, 64)] : [],
);
const CONTENTS = [...[768, 769, 770, 400_000].map(bytes), ...proven];
/** Values in a response that are not a file. */
const JUNK: Record<string, unknown> = {
	words: 'success ok image/png file 没有文件 {"a": [] "x" data: base64, https:// file:///x'.split(
		' ',
	),
	ids: ['0x', '1'.repeat(1200), 'abcdef01'.repeat(300), '3f2504e0-4f89-11d3-9a0c-0305e82c3301'],
	sent: [SENT, ` ${SENT} `, 'f'.repeat(32)],
	others: [null, true, 0, 1e9, '', 'a b c'],
	signatures: [8, 33, 63].map((length) => bytes(length).toString('base64url')),
};

const lines = (text: string, width: number) => text.replace(RegExp(`.{${width}}`, 'g'), '$&\r\n');
/** How services write the content of a file. */
const WRAPPINGS: Record<string, (base64: string) => unknown> = {
	base64: (base64) => base64,
	'the alphabet of URLs': (base64) => Buffer.from(base64, 'base64').toString('base64url'),
	lines: (base64) => `\n${lines(base64, 76)} `,
	'a data URI with more': (base64) => `DATA:;name=a;BASE64, ${lines(base64, 60)}`,
	'half a data URI': (base64) => `image/jpeg;base64,${base64}`,
	'base64://': (base64) => `base64://${base64}`,
	'an escaped data URI': (base64) => encodeURIComponent(`data:image/jpeg;base64,${base64}`),
	'base64 with escapes': (base64) => `data:image/jpeg;base64,${encodeURIComponent(base64)}`,
	'JSON as text': (base64) => JSON.stringify({ file: base64, size: 1 }),
};
/** How people write a link, and what a browser requests. */
const LINKS: Array<[string, string]> = [
	['https://example.com/a.png', 'https://example.com/a.png'],
	['  https://example.com/a b (1).png\n', 'https://example.com/a%20b%20(1).png'],
	['HTTPS://例え.example/{a}|"b"', 'https://xn--r8jz45g.example/%7Ba%7D|%22b%22'],
	['\u200bhttps://example.com/a\ufeff.png\u200b', 'https://example.com/a.png'],
	['https:\\/\\/example.com\\/a.png', 'https://example.com//a.png'],
	['https%3A%2F%2Fexample.com%2Fa%2520b.png', 'https://example.com/a%20b.png'],
	['https://example.com/a%3Fb.png', 'https://example.com/a%3Fb.png'],
	['{"url":"https://example.com/a.png"}', 'https://example.com/a.png'],
];

test.each(Object.entries(WRAPPINGS))(
	'a file that is written as %s is found completely, and nothing else is',
	async (_, write) => {
		for (const content of CONTENTS) {
			const file = write(content.toString('base64'));
			for (const data of [file, { ...JUNK, file }, [JUNK, { list: [file] }]]) {
				const found = await foundIn(data);
				// A comparison by Jest takes seconds.
				expect(Buffer.isBuffer(found) ? found.equals(content) : found).toBe(true);
			}
		}
	},
);

test.each(LINKS)('the node downloads the link %j from %s', async (written, href) => {
	const fileLocation = written.startsWith('{') ? 'a[0].url' : 'a[0]';
	for (const given of [{}, { fileLocation }]) {
		expect(await foundIn({ a: [written] }, given)).toBe(href);
	}
});

test('the node finds no file in a response without one, even if a text has File Size bytes below 64', async () => {
	for (let fileSize = 0; fileSize < 64; fileSize++) {
		expect(await foundIn({ JUNK }, { fileSize })).toMatch(/without anything/);
	}
});

/** Has a plus and a slash, and no padding. */
const SOUND = bytes(900).toString('base64');
test.each([
	['a plus became a blank', SOUND.replaceAll('+', ' ')],
	['its end is missing', SOUND.slice(0, -2)],
	['it ends in the middle', `AA==${SOUND}`],
])('damaged base64 is not stored as a file: %s', async (_, text) => {
	expect(Buffer.isBuffer(await foundIn({ text: SOUND }))).toBe(true);
	expect(await foundIn({ text })).toMatch(/without anything/);
});

test('the node takes one of two files only if it alone has File Size bytes', async () => {
	const [a, b] = [bytes(900).toString('base64'), `data:;base64,${bytes(901).toString('base64')}`];
	for (const fileSize of [900, 901])
		expect(await foundIn({ a, b }, { fileSize })).toEqual(bytes(fileSize));
	const message = 'may be the file, or its parts: data.a, data.b';
	expect(await foundIn({ a, b })).toContain(message);
	const same = Buffer.alloc(900, 'a').toString('base64');
	expect(await foundIn({ a, b: same }, { fileSize: 900 })).toContain(message);
	expect(await foundIn({ a, b: 'https://example.com/' })).toContain(message);
});

test.each([64, 767])('a file of %d bytes in base64 is found by File Size', async (fileSize) => {
	const file = Buffer.alloc(fileSize, 'some bytes');
	const text = file.toString('base64');
	expect(await foundIn({ text }, { fileSize })).toEqual(file);
	expect(await foundIn({ text }, { fileSize: fileSize + 1 })).toMatch(/without anything/);
});

test('a file that a response has twice is stored once', async () => {
	const twice = Buffer.alloc(900, 'file').toString('base64');
	expect(await locate([twice, { twice }])).toMatchObject({
		place: 'data[0]',
		rest: [null, { twice }],
	});
	const links = { a: 'https://example.com', b: ' https://example.com ' };
	expect(await locate(links)).toMatchObject({ place: 'data.a', notice: undefined });
});

const AT = 'https://cdn.example.com';
test('the output keeps texts that are JSON, except for the one with the file', async () => {
	const text = JSON.stringify({
		file: Buffer.alloc(900, 'file').toString('base64'),
		note: '[1,2]',
	});
	const { rest } = await locate({ note: '[1,2]', list: [text] });
	expect(rest).toEqual({ note: '[1,2]', list: [{ note: '[1,2]' }] });
	expect(await locate({ note: '[1,2]', link: `${AT}/a` })).toMatchObject({
		rest: { note: '[1,2]' },
	});
});

test.each<[place: string | undefined, data: object]>([
	['data.fileUrl', { fileUrl: `${AT}/a`, coverUrl: `${AT}/b`, fileMd5: '0f34' }],
	['data.file.url', { cover: { url: `${AT}/b` }, file: { url: `${AT}/a` } }],
	['data.x', { thumb_url: `${AT}/a`, AvatarUrl: `${AT}/b`, fileIcon: `${AT}/c`, x: `${AT}/d` }],
	[undefined, { a: `${AT}/a`, b: `${AT}/b`, coverUrl: `${AT}/c` }],
])('the node takes the file at %s, not a cover: %j', async (place, data) => {
	const found = await locate(data).catch(() => undefined);
	const notice = `The file was taken from ${place}, as the others look like covers`;
	expect(found && [found.place, found.notice]).toEqual(place && [place, notice]);
	expect(await foundIn(data, { fileType: 3 })).toMatch(/several things/);
});

test('the node takes content of File Size bytes for the file, even under a key for covers', async () => {
	const content = Buffer.alloc(900, 'file').toString('base64');
	const data = { cover: { content }, link: `${AT}/page` };
	expect(await locate(data, { fileSize: 900 })).toMatchObject({ place: 'data.cover.content' });
});

test.each<[name: string | undefined, data: object]>([
	['a.ofd', { url: AT, name: 'b.pdf', fileName: 'a.ofd' }],
	['b.et', { name: 'a.pdf', list: [{ link: AT, file_name: '../b.et' }] }],
	['d.png', { file: `data:image/png;name=d.png;base64,${'iVBORw0KGgoA'.repeat(9)}` }],
	[undefined, { user: { name: 'e.pdf' }, url: AT, channelName: 'f.pdf', name: 'Anna' }],
])('the file is named %s after the response %j', async (name, data) => {
	expect((await locate(data)).name).toBe(name);
});

const FILE = Buffer.from('%PDF-1.4 tiny');
const base64 = FILE.toString('base64');
test.each<[string, unknown, unknown]>([
	['data', base64, undefined],
	['data.result["thumb"]', { result: { thumb: base64 } }, { result: {} }],
	['[1].0', [1, [base64]], [1, [null]]],
	["['dotted.key']", { 'dotted.key': base64 }, {}],
	['data.file', { data: { file: base64, other: 1 } }, { data: { other: 1 } }],
	['text.file', { text: JSON.stringify({ file: base64, b: 1 }) }, { text: { b: 1 } }],
	['a', JSON.parse(`{"__proto__":{"b":1},"a":"${base64}"}`), JSON.parse('{"__proto__":{"b":1}}')],
])('the content at the File Location %s is found and removed', async (fileLocation, data, rest) => {
	expect(await locate(data, { fileLocation })).toMatchObject({ file: FILE, rest });
});

test('a wrong File Location is an error that names the keys, and says to correct the option', async () => {
	const data = { state: 'not a file!', path: '/a' };
	const location = { fileLocation: 'nowhere' };
	await expect(locate(data, location)).rejects.toMatchObject({
		message: expect.stringContaining('"nowhere". Its data has the keys: state, path.'),
		advice: "Correct the 'File Location' option, or clear it to search for the file.",
	});
	await expect(locate(data)).rejects.toMatchObject({
		advice: expect.stringMatching(/^To see the whole response/),
	});
});

const LONG_KEYS = Object.fromEntries(
	Array.from({ length: 30 }, (_, index) => [`${index}-fake-secret-key-${'k'.repeat(1e5)}`, 1]),
);
test.each<[string, unknown, RegExp]>([
	['20', LONG_KEYS, /has the keys: 0-\*\*\*-k{50,60}…, 1-\*\*\*-k.* and 10 more\.$/],
	['one of an asynchronous task', { requestId: 'x' }, /keys: requestId\. The file may arrive/],
	['one of a task, and another', { task_id: 1, a: 1 }, /keys: task_id, a\.$/],
	['none, as the data is a text', 'x', /Its data has no keys\.$/],
])('an error names keys, shortened and redacted: %s', async (_, data, message) => {
	const said = await foundIn(data);
	expect(said).toMatch(message);
	expect(String(said).length).toBeLessThan(1700);
});
