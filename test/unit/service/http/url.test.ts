import { hostInWords, parsedUrl } from '../../../../nodes/Workchat/service/http/url';

test.each([
	['https://example.com/a?b#c', 'https://example.com/a?b#c'],
	['https://例え.example/', 'https://xn--r8jz45g.example/'],
	[`https://a.example/${'p'.repeat(8000)}`, `https://a.example/${'p'.repeat(8000)}`],
	[`https://a.example/${'p'.repeat(9000)}`, undefined],
	['example.com', undefined],
])('%s', (text, href) => expect(parsedUrl(text)?.href).toBe(href));

const OWN = 'localhost:81 files.localhost 127.0.0.1 [::1]:5678';
const INNER =
	'10.1.2.3 192.168.0.1 172.16.0.1 172.31.0.1 169.254.169.254 100.64.0.1 [fd00::1] [fe80::1] minio:9000 files.internal';
const OUTER =
	'172.32.0.1 100.128.0.1 192.167.0.1 110.1.2.3 localhost.example.com 10.example.com [2001:db8::1] files.example.com:81';
test.each([
	[OWN, ", which is n8n's own computer,"],
	[INNER, ', which is an inner address of some network,'],
	[OUTER, ''],
])('in words, each of %s is the host%s', (hosts, words) => {
	for (const host of hosts.split(' ')) {
		expect(hostInWords(new URL(`http://${host}/x`))).toBe(host + words);
	}
});
