import { downloadEach, WAYS, type Served } from './downloads';
import { useOwnServer } from './ownServer';
import { sampleOf } from './thorough';

/** What a service says instead of a file is no file, whatever its headers call it. */

const own = useOwnServer();

const REFUSAL = { ok: false, code: 7, message: 'no such file', request_id: 'svc_7' };
const text = JSON.stringify(REFUSAL);
const REFUSALS: Record<string, string> = {
	'a refusal': text,
	'a refusal in lines': JSON.stringify(REFUSAL, null, '\t'),
	'a refusal after a byte order mark': `\ufeff${text}`,
	'a refusal after white space': ` \r\n\t\n${text}\n`,
	'a refusal after both': `\ufeff\n ${text}`,
	'a refusal after a lot of white space': `${'\n'.repeat(3000)}${text}`,
	'a refusal with data': JSON.stringify({ data: { url: 'https://example.com/a.mp4' }, ...REFUSAL }),
	'a refusal with a negative code': JSON.stringify({ ...REFUSAL, code: -1 }),
	'a refusal that says ok': JSON.stringify({ ...REFUSAL, ok: true }),
	'a refusal without more': '{"ok":false,"code":7}',
};
const PAGES: Record<string, string> = {
	'a page': '<!doctype html><title>Sorry</title>',
	'a page in upper case': '<HTML LANG="en"><BODY>Sorry',
	'a page after a comment': '<!-- served by x --><html>Sorry</html>',
	'a page after a byte order mark': '\ufeff\n<!DOCTYPE html>\n<html>',
	'a page in XML':
		'<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN">',
};
const TYPES = [
	undefined,
	'application/json',
	'text/plain',
	'text/html',
	'application/octet-stream',
	'video/mp4',
];
const DISPOSITIONS = [
	undefined,
	'inline',
	'inline; filename="video.mp4"',
	'attachment; filename="video.mp4"',
	'attachment; filename=VIDEO.MP4',
	"attachment; filename*=UTF-8''vid%C3%A9o.mp4",
	'attachment; filename="report.pdf"',
];
/** The name of JSON that somebody sent. */
const NAMED = 'attachment; filename="data.json"';

function combinations(contents: Record<string, string>, dispositions: Array<string | undefined>) {
	const all = Object.entries(contents).flatMap(([what, content]) =>
		TYPES.flatMap((type) =>
			dispositions.map((disposition) => ({ what, content, type, disposition })),
		),
	);
	return sampleOf(all, 5); // so that every type, and every disposition, comes with every content
}

/** What became of what a video, or a file, was asked for. */
async function download(way: 'body' | 'link', all: Served[], fileType = 4) {
	const served = all.map((each) => ({ ...each, fileType }));
	const results = await downloadEach(own, way, served);
	return results.map((result, index) => ({ ...all[index], ...result }));
}

describe.each(['body', 'link'] as const)('%s:', (from) => {
	const names = from === 'link' ? ['', 'x', 'video.mp4', 'page.php'] : [undefined];

	test.each(names)('a refusal is no file (%s)', async (name) => {
		const all = combinations(REFUSALS, [...DISPOSITIONS, 'attachment', 'attachment; filename="x"']);
		const results = await download(
			from,
			all.map((served) => ({ ...served, name })),
		);
		expect(results).toHaveLength(all.length);
		const wrong = results.filter(({ binary, error }) => binary ?? error?.outcome !== 'rejected');
		expect(wrong).toEqual([]);
	});

	test.each(names)('a page is no file (%s)', async (name) => {
		const all = combinations(PAGES, DISPOSITIONS);
		const results = await download(
			from,
			all.map((served) => ({ ...served, name })),
		);
		expect(results).toHaveLength(all.length);
		expect(results.filter(({ binary, error }) => binary ?? !error)).toEqual([]);
	});

	test('a page or JSON that is sent as such is a file', async () => {
		const jsonFile = JSON.stringify({ a: 1, message: 'no' });
		const all: Served[] = [
			...TYPES.map((type) => ({ type, disposition: NAMED, content: jsonFile })),
			{ disposition: NAMED, content: '[{"ok":false,"code":7}]' },
			{ disposition: 'attachment; filename="data.jsonl"', content: `${jsonFile}\n${text}` },
			{ disposition: 'attachment; filename="page.html"', content: PAGES['a page']! },
			{ disposition: NAMED, content: JSON.stringify({ all: 'x'.repeat(20e6) }) },
			{ disposition: NAMED, content: `${jsonFile.slice(0, -1)},` },
		];
		const results = await download(from, all, 5);
		for (const { error, stored, content } of results) {
			expect(error).toBeUndefined();
			expect(stored?.equals(Buffer.from(content!))).toBe(true);
		}
	});
});

const WORDS: Record<string, string | Buffer> = {
	words: 'file expired',
	'words in UTF-8': '文件已过期',
	'words in GBK': Buffer.from('cec4bcfed2d1b9fdc6da', 'hex'),
	'words in UTF-16': Buffer.from('\ufefffile expired', 'utf16le'),
	"an object store's error": '<?xml version="1.0"?>\n<Error><Code>AccessDenied</Code></Error>',
	'a script': '<script>location.href = "/login"</script>',
	'a page in UTF-16': Buffer.from('\ufeff<!doctype html><title>Sorry</title>', 'utf16le'),
	'a page after blanks': `${' '.repeat(600)}<!doctype html><title>Sorry</title>`,
	'JSON that is no envelope': '{"error":"expired"}',
	'a list': '["expired"]',
	'a code that is none': '{"ok":false,"code":"E7","message":"expired","request_id":"svc_9"}',
	'a refusal after blanks': `${' '.repeat(600)}${text}`,
	'a long refusal': JSON.stringify({ ...REFUSAL, details: 'x'.repeat(5000) }),
};

describe.each(WAYS)('where an image or a video is due, as %s:', (way) => {
	test.each([1, 2, 3, 4])('no text is a file of type %i', async (fileType) => {
		const isPlain = way === 'base64';
		const all = Object.entries(WORDS).flatMap(([what, content]) =>
			[undefined, 'attachment', ...DISPOSITIONS].flatMap((disposition) =>
				[undefined, 'text/plain', 'video/mp4'].map((type) => ({
					what,
					disposition,
					type,
					fileType,
					// So long that it is surely content.
					content: isPlain
						? Buffer.concat([Buffer.from(content), Buffer.alloc(800, ' ')])
						: content,
					name: 'a.mp4',
					isSplit: disposition === 'attachment',
				})),
			),
		);
		const served = sampleOf(all, 7);
		const results = await downloadEach(own, way, served);
		const wrong = results.flatMap((result, index) =>
			result.error && !result.binary ? [] : [served[index]],
		);
		expect(wrong).toEqual([]);
	});
});

test('a refusal is told with its words and its request ID, in two pieces too', async () => {
	const content = WORDS['a code that is none']!;
	for (const way of ['link', 'body'] as const) {
		const all = ['attachment', undefined, 'attachment; filename="a.json"'].map((disposition) => ({
			content,
			disposition,
			isSplit: true,
		}));
		for (const { error, binary } of await downloadEach(own, way, all)) {
			expect(binary).toBeUndefined();
			expect(error).toMatchObject({ outcome: 'rejected', request_id: 'svc_9' });
			expect(error?.message).toMatch(/refused: expired \(/);
		}
	}
});

test('JSON under a name is a file, from a megabyte on whatever it says', async () => {
	const long = JSON.stringify({ ok: false, code: 7, rows: 'x'.repeat(1_100_000) });
	const all = [long, JSON.stringify({ code: 'E7', rows: [] })].map((content) => ({
		content,
		disposition: 'attachment; filename="a.json"',
	}));
	for (const way of ['link', 'body'] as const) {
		const results = await downloadEach(own, way, all);
		expect(results.map(({ stored }) => stored?.toString())).toEqual(
			all.map(({ content }) => content),
		);
	}
});

test.each([
	['application/json', undefined],
	['application/octet-stream', 'attachment; filename="video.mp4"'],
	['video/mp4', 'inline; filename="video.mp4"'],
	['text/html', 'attachment'],
])('an answer that is an envelope is one, as %s with %s', async (type, disposition) => {
	const bytes = Buffer.from('OggS\0 some sound');
	const envelope = { ok: true, code: 0, data: { content: bytes.toString('base64') } };
	const all = [text, JSON.stringify(envelope), `\ufeff ${JSON.stringify(envelope)}`];
	const [refused, ...others] = await download(
		'body',
		all.map((content) => ({ type, disposition, content })),
	);
	expect(refused?.error).toMatchObject({ outcome: 'rejected', code: 7, request_id: 'svc_7' });
	for (const { stored } of others) expect(stored).toEqual(bytes);
});
