import { textKindOf, type TextKind } from '../../../../nodes/Workchat/service/text/textKind';

describe('the first bytes', () => {
	test.each<[string, string, TextKind | undefined]>([
		['<!doctype html><title>Sorry</title>', '', 'page'],
		['\ufeff \n<!-- a > b --><!----><!-->\n<HTML lang="en">', '', 'page'],
		['<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "">', '', 'page'],
		['<body class="a">', '', 'page'],
		['Sorry', 'text/html; charset=utf-8', 'page'],
		['Sorry', 'application/xhtml+xml', 'text'],
		['<?xml version="1.0"?><!-- drawn --><svg>', '', 'text'],
		['<!-- never closed <html>', '', 'text'],
		['<?xml never closed', '', 'text'],
		['<htmlish>', '', 'text'],
		['{"ok":false}', '', 'json'],
		[' \n{ }', 'text/plain', 'json'],
		['[1]', 'application/json', 'json'],
		['[1]', '', 'text'],
		['[2024-01-01] started', '', 'text'],
		['[{"ok":false,"code":5}]', '', 'json'],
		[' ["expired"]', 'text/plain', 'json'],
		[' \r\n', '', 'page'],
		[`${' '.repeat(70_000)}{"ok":false}`, '', 'page'],
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
