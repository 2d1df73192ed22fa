import { Readable } from 'node:stream';

import { samples } from '../dev/sandbox/samples';
import type { DownloadResponse } from '../dev/sandbox/server';
import { Body } from '../nodes/Workchat/service/response/body';
import { isFile } from '../nodes/Workchat/service/file/acceptance';
import { openResponse } from '../nodes/Workchat/service/http/http';
import { Secrets } from '../nodes/Workchat/service/failure/secrets';
import { textKindOf, type TextKind } from '../nodes/Workchat/service/text/textKind';
import { useBench, useDownload } from './setup';

const bench = useBench();
const download = useDownload(bench);
const { document } = samples;
const page = (content: Buffer | number, type: string): DownloadResponse => ({
	as: 'link',
	linkName: 'x',
	content,
	headers: { 'content-type': type },
});

async function isFileFrom(
	text: string,
	headers: object,
	linkName: string,
	isMedia = false,
): Promise<boolean> {
	const send = async () => ({ statusCode: 200, headers, body: Readable.from([Buffer.from(text)]) });
	const context = { receiver: '', isRepeatable: true, secrets: Secrets.NONE };
	const response = await openResponse(send, { timeout: 1000 }, context);
	const body = await Body.of(response);
	const isWanted = await isFile(response, body, { linkName, isMedia }, () => false);
	body.discard();
	return isWanted;
}

describe('the first bytes', () => {
	test.each<[string, string, TextKind | undefined]>([
		['<!doctype html><title>Sorry</title>', '', 'page'],
		['\ufeff \n<!-- a > b --><!----><!-->\n<HTML lang="en">', '', 'page'],
		['<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "">', '', 'page'],
		['<head>', '', 'page'],
		['<body class="a">', '', 'page'],
		['Sorry', 'text/html; charset=utf-8', 'page'],
		['Sorry', 'application/xhtml+xml', 'text'],
		['<?xml version="1.0"?><!-- drawn --><svg>', '', 'text'],
		['<!-- never closed <html>', '', 'text'],
		['<?xml never closed', '', 'text'],
		['<htmlish>', '', 'text'],
		['text <html>', '', 'text'],
		['{"ok":false}', '', 'json'],
		[' \n{ }', 'text/plain', 'json'],
		['[1]', 'application/json', 'json'],
		['[1]', 'application/problem+json', 'json'],
		['[1]', '', 'text'],
		['[2024-01-01] started', '', 'text'],
		['[{"ok":false,"code":5}]', '', 'json'],
		[' ["expired"]', 'text/plain', 'json'],
		[' \r\n', '', 'page'],
		[`${' '.repeat(70_000)}{"ok":false}`, '', 'page'],
		['{a}', '', 'text'],
		['a,b', 'text/csv', 'text'],
		['', '', undefined],
		['\0\x01', 'text/html', undefined],
		['<script>location = 1</script>', 'video/mp4', 'page'],
		['<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>', '', 'page'],
		[`${' '.repeat(5000)}{"ok":false}`, '', 'json'],
		[`${'<!---->'.repeat(40)}x`, '', 'text'],
	])('of %j with type %j are %s', (text, type, kind) => {
		expect(textKindOf(Buffer.from(text), type)).toBe(kind);
	});

	test.each(['utf16le', 'latin1'] as const)('in %s', (encoding) => {
		const text = Buffer.from('\ufeff<html>文件'.slice(encoding === 'latin1' ? 1 : 0), encoding);
		expect(textKindOf(text)).toBe('page');
	});
});

describe.each<[TextKind, string]>([
	['page', 'html'],
	['json', 'json'],
])('a %s', (kind, extension) => {
	test.each<[string | undefined, string, boolean]>([
		[undefined, `a.${extension}`, true],
		[undefined, `a.${extension.toUpperCase()}`, true],
		['attachment', '', kind === 'page'],
		['attachment', 'a', kind === 'page'],
		['attachment; filename=a.txt', '', true],
		['attachment; filename=README', '', true],
		['inline; filename=a.log', 'video.mp4', true],
		[`inline; filename="video.${extension}"`, 'video.mp4', true],
		['attachment; filename="video.mp4"', '', false],
		['attachment; filename=video.mp4', `a.${extension}`, false],
		["attachment; filename*=UTF-8''video%2Emp4", '', false],
		['attachment; filename="VIDEO.MP4"', '', false],
		['inline; filename="video.mp4"', '', false],
		['inline; filename="report.docx"', '', false],
		['inline; filename="scan.pdf"', '', false],
		...['jfif', 'xlsm', 'm2ts', 'ogv', 'aiff', 'rpm'].map((name): [string, string, boolean] => [
			`inline; filename="a.${name}"`,
			'',
			false,
		]),
		['attachment', 'voice.amr', false],
		[undefined, 'video.mp4', false],
		[undefined, 'a.txt', false],
		[undefined, '', false],
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
])('%s: a file where an image or a video is due?', async (_, text, headers, name, expected) => {
	expect(await isFileFrom(text, headers, name, true)).toBe(expected);
});

test.each([
	['\n%PDF-1.4\n1 0 obj', 'a.pdf', true],
	['\ufeff%PDF-1.4\n1 0 obj', 'a.pdf', true],
	['\ufeff{\\rtf1 hello}', 'a.rtf', true],
	['expired', 'a.pdf', false],
])('%j behind a link to %s is a file: %j', async (text, name, expected) => {
	expect(await isFileFrom(text, {}, name)).toBe(expected);
});

test('a web page that begins with a byte order mark is no file', async () => {
	const html = Buffer.from('\ufeff<!doctype html><title>Sorry</title>');
	const { error } = await download([document], { answer: page(html, 'application/octet-stream') });
	expect(error?.message).toMatch(/message instead of the file/);
});

test('HTML that is shown inline, but under a name, is a file', async () => {
	const html = Buffer.from('<!doctype html><title>Fine</title>');
	const headers = { 'content-type': 'text/html', 'content-disposition': 'inline; filename=a.html' };
	const { files } = await download([document], { answer: { as: 'body', content: html, headers } });
	expect(files[0]).toEqual(html);
});

describe.each([
	'attachment; filename="video.mp4"',
	'inline; filename="video.mp4"',
	"attachment; filename*=UTF-8''video%2Emp4",
])('with the header %s', (disposition) => {
	test.each([
		['a web page', 'text/html', '<!doctype html><title>Sorry</title>'],
		['a web page without a type', 'video/mp4', '<!doctype html><title>Sorry</title>'],
		['JSON', 'application/json', '{"error":"expired"}'],
	])('%s behind a link is no video', async (_, type, text) => {
		const answer = page(Buffer.from(text), type);
		answer.headers = { ...answer.headers, 'content-disposition': disposition };
		const { error, items } = await download([document], { answer });
		expect(error?.message).toMatch(/message instead of the file/);
		expect(items).toEqual([]);
	});

	test.each([
		['a web page', '<!doctype html><title>Sorry</title>', /a web page instead/],
		['a refusal', '{"ok":false,"code":7}', /refused \(code 7/],
	])('%s as the body is no video', async (_, text, message) => {
		const headers = { 'content-disposition': disposition };
		const answer: DownloadResponse = { as: 'body', content: Buffer.from(text), headers };
		const { error, items } = await download([document], { answer });
		expect(error?.message).toMatch(message);
		expect(items).toEqual([]);
	});
});
