import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { projectRoot } from '../../../../dev/projectRoot';
import { hostInWords, parsedUrl } from '../../../../nodes/Workchat/service/http/url';

test.each([
	['https://example.com/a?b#c', 'https://example.com/a?b#c'],
	['https://例え.example/', 'https://xn--r8jz45g.example/'],
	[`https://a.example/${'p'.repeat(8000)}`, `https://a.example/${'p'.repeat(8000)}`],
	[`https://a.example/${'p'.repeat(9000)}`, undefined],
	['example.com', undefined],
])('%s', (text, href) => expect(parsedUrl(text)?.href).toBe(href));

test('URLs are parsed in one place', () => {
	const files = ['nodes', 'credentials'].flatMap((folder) =>
		readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
			join(folder, file),
		),
	);
	const parse = /URL\.(?:can)?parse\(|new URL\(/i;
	const parsing = files.filter(
		(file) => file.endsWith('.ts') && parse.test(readFileSync(join(projectRoot, file), 'utf8')),
	);
	expect(parsing).toEqual([join('nodes', 'Workchat', 'service', 'http', 'url.ts')]);
});

test.each([
	['http://localhost:81/x', /^localhost:81, which is n8n's own computer,$/],
	['http://files.localhost/x', /own computer/],
	['http://127.0.0.1/x', /own computer/],
	['http://[::1]:5678/x', /own computer/],
	['http://10.1.2.3/x', /^10\.1\.2\.3, which is an inner address of some network,$/],
	['http://192.168.0.1/x', /inner/],
	['http://172.16.0.1/x', /inner/],
	['http://172.31.0.1/x', /inner/],
	['http://169.254.169.254/x', /inner/],
	['http://100.64.0.1/x', /inner/],
	['http://[fd00::1]/x', /inner/],
	['http://[fe80::1]/x', /inner/],
	['http://minio:9000/x', /^minio:9000, which is an inner/],
	['http://files.internal/x', /inner/],
	['http://172.32.0.1/x', /^172\.32\.0\.1$/],
	['http://100.128.0.1/x', /^100\.128\.0\.1$/],
	['http://192.167.0.1/x', /^192\.167\.0\.1$/],
	['http://110.1.2.3/x', /^110\.1\.2\.3$/],
	['https://localhost.example.com/x', /^localhost\.example\.com$/],
	['https://10.example.com/x', /^10\.example\.com$/],
	['https://[2001:db8::1]/x', /^\[2001:db8::1\]$/],
	['https://files.example.com/x', /^files\.example\.com$/],
])('the host of %s in words', (link, words) => {
	expect(hostInWords(new URL(link))).toMatch(words);
});
