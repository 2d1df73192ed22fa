import { removeInvisible } from '../../../nodes/Workchat/common/invisible';
import { createDecoder, sniffTextKind } from '../../../nodes/Workchat/common/text';

test.each<[string, string, string | undefined]>([
	['<!doctype html><title>Sorry</title>', '', 'page'],
	['\ufeff \n<!-- a > b --><!-- -->\n<HTML lang="en">', '', 'text'],
	['\ufeff \n<!-- a --><!-- -->\n<HTML lang="en">', '', 'page'],
	['<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "">', '', 'page'],
	['<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>', '', 'page'],
	['<script>location = 1</script>', 'video/mp4', 'page'],
	['Sorry', 'text/html; charset=utf-8', 'page'],
	[' \r\n', 'text/html', 'blank'],
	['<?xml version="1.0"?><svg>', '', 'text'],
	['{"ok":false}', '', 'json'],
	[' \n{ }', 'text/plain', 'json'],
	['[{"ok":false}]', '', 'json'],
	[' ["expired"]', 'text/plain', 'json'],
	['[2024-01-01] started', '', 'text'],
	['a,b', 'text/csv', 'text'],
	['\0\x01', 'text/html', undefined],
])('the node takes %j with the content type %j for %s', (text, type, kind) => {
	expect(sniffTextKind(Buffer.from(text), type)).toBe(kind);
});

/** Invisible characters; and visible ones with white space, which stay. */
const INVISIBLE =
	'\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u202e\u2066\ufe0f\u3164\u115f\0\x7f\x85';
const VISIBLE = ' \t\n\u00a0aZ0-_.é密@😀';

test('only invisible characters are removed', () => {
	expect(removeInvisible(VISIBLE)).toBe(VISIBLE);
	for (const each of INVISIBLE)
		expect(removeInvisible(each + [...VISIBLE].join(each))).toBe(VISIBLE);
});

test('bytes are decoded in their charset, or as UTF-8 if it is unknown', () => {
	const bytes = [Buffer.from('c4e3', 'hex'), Buffer.from('e4bda0', 'hex')];
	const read = (charset?: string) => bytes.map((each) => createDecoder(charset).decode(each));
	for (const charset of ['gbk', 'GB2312']) expect(read(charset)[0]).toBe('你');
	for (const charset of ['utf-8', undefined, 'no-such']) expect(read(charset)[1]).toBe('你');
});
