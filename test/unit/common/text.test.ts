import { withoutUnseen } from '../../../nodes/Workchat/common/unseen';
import { decoderOf, textKindOf } from '../../../nodes/Workchat/common/text';

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
])('%j of type %j is %s', (text, type, kind) => {
	expect(textKindOf(Buffer.from(text), type)).toBe(kind);
});

/** All that the eye does not see, and white space, which is none of it. */
const UNSEEN = '\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u202e\u2066\ufe0f\u3164\u115f\0\x7f\x85';
const SEEN = ' \t\n\u00a0aZ0-_.é密@😀';

test('what the eye does not see is taken out, and nothing else', () => {
	expect(withoutUnseen(SEEN)).toBe(SEEN);
	for (const each of UNSEEN) expect(withoutUnseen(each + [...SEEN].join(each))).toBe(SEEN);
});

test('bytes are read in their charset, or as UTF-8', () => {
	const bytes = [Buffer.from('c4e3', 'hex'), Buffer.from('e4bda0', 'hex')];
	const read = (charset?: string) => bytes.map((each) => decoderOf(charset).decode(each));
	for (const charset of ['gbk', 'GB2312']) expect(read(charset)[0]).toBe('你');
	for (const charset of ['utf-8', undefined, 'no-such']) expect(read(charset)[1]).toBe('你');
});
