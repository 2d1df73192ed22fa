import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { projectRoot } from '../../../../dev/projectRoot';
import { checkField } from '../../../../nodes/Workchat/operations/fields/checkFields';
import { addressOf, checkedCredential } from '../../../../nodes/Workchat/service/credential';
import { nameInLink } from '../../../../nodes/Workchat/service/file/fileName';
import { refuseOtherOrigin } from '../../../../nodes/Workchat/service/origin';
import { shownAddress } from '../../../../nodes/Workchat/service/failure/redact';
import { Secrets, secretsOfLink } from '../../../../nodes/Workchat/service/failure/secrets';
import { parsedUrl } from '../../../../nodes/Workchat/service/http/url';
import { expectLinear } from '../../../support/processorTime';

/** So many different characters: Node takes a time that grows with their square. */
const international = (length: number) =>
	Array.from({ length }, (_, index) => String.fromCodePoint(0x4e00 + (index % 20_000))).join('');
const FIELD = { name: 'fileUrl', label: 'File URL', type: 'url' } as const;
const CREDENTIAL = { apiKey: 'fake-key', baseUrl: 'https://example.com' };

test.each([
	['a host', 'https://example.com/a?b#c', 'https://example.com/a?b#c'],
	['an international host', 'https://例え.example/', 'https://xn--r8jz45g.example/'],
	['a host of 253 characters', `https://${'a.'.repeat(126)}b/`, `https://${'a.'.repeat(126)}b/`],
	[
		'a long user',
		`https://${'u'.repeat(5000)}@a.example/`,
		`https://${'u'.repeat(5000)}@a.example/`,
	],
	['a long path', `https://a.example/${'p'.repeat(5000)}`, `https://a.example/${'p'.repeat(5000)}`],
	['a host beyond any name', `https://${'a.'.repeat(200)}b/`, undefined],
	['such a host with a line break in it', `https://${'a.\n'.repeat(200)}b/`, undefined],
	['such a host without slashes', `https:${'a.'.repeat(200)}b`, undefined],
	['such a host after backslashes', `https:\\\\${'a.'.repeat(200)}b`, undefined],
	['such a host after a user', `https://u@v@${'a.'.repeat(200)}b`, undefined],
	['a URL beyond any', `https://a.example/${'p'.repeat(70_000)}`, undefined],
	['no URL', 'example.com', undefined],
])('%s', (_, text, href) => expect(parsedUrl(text)?.href).toBe(href));

test('a path below a URL may have a long part', () => {
	expect(parsedUrl(`/${'p'.repeat(500)}`, 'https://a.example')?.host).toBe('a.example');
	expect(parsedUrl(`//${'a.'.repeat(200)}b`, 'https://a.example')).toBeUndefined();
});

const refused = (work: () => unknown) => () => {
	try {
		work();
	} catch (error) {
		return error;
	}
	return undefined;
};
const host = (size: number) => `https://${international(size)}/`;

test.each<[string, (size: number) => unknown]>([
	['a URL', (size) => parsedUrl(host(size))],
	['a relative URL', (size) => parsedUrl(`//${international(size)}`, 'https://example.com')],
	['a field', (size) => checkField(FIELD as never, host(size))],
	['the secrets of a link', (size) => secretsOfLink(host(size))],
	['the name in a link', (size) => nameInLink(host(size))],
	['the address of a redirect', (size) => shownAddress(host(size), Secrets.NONE)],
	[
		'a Base URL',
		(size) => refused(() => checkedCredential({ ...CREDENTIAL, baseUrl: host(size) }))(),
	],
	['an address', (size) => addressOf({ ...CREDENTIAL, baseUrl: host(size) })],
	['another node', (size) => refused(() => refuseOtherOrigin({ url: host(size) }, CREDENTIAL))()],
	[
		'a Host header',
		(size) =>
			refused(() =>
				refuseOtherOrigin(
					{ url: 'https://example.com/', headers: { host: international(size) } },
					CREDENTIAL,
				),
			)(),
	],
])('%s with an international host takes time in proportion to its length', async (_, work) => {
	await expectLinear(work, 2000);
});

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
