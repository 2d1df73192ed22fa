import { downloadEach, type Served } from './downloads';
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
