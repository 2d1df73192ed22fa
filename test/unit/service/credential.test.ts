import { WorkchatApi } from '../../../credentials/WorkchatApi.credentials';
import {
	addressOf,
	checkedCredential,
	refuseOtherOrigin,
	shownBaseUrl,
} from '../../../nodes/Workchat/service/credential';
import { KEY } from '../../support/setup';

/**
 * Other nodes can use the credential, too: the API key goes to the origin of its Base URL alone. With
 * n8n's HTTP Request: credential.test.ts of e2e.
 */

/** Of a service at `a`, and another host `b`. */
const [a, b] = ['127.0.0.1:81', 'b.example:82'];
const below = (url: string) => ({ baseURL: `http://${a}`, url });
const ELSEWHERE: object[] = [
	{ url: `http://${b}/x` },
	{ url: 'http://localhost:81/x' },
	{ url: 'http://[::ffff:127.0.0.1]:81/x' },
	{ url: `http://${a}1/x` },
	{ url: `https://${a}/x` },
	{ url: `//${b}/x` },
	below(`//${b}/x`),
	below(`http:///${b}/x`),
	below(`http://${b}/x`),
	below(`/\t/${b}/x`),
	below(` //${b}/x`),
	below(`\0http://${b}/x`),
	{ url: `http:${b}/x` },
	{ url: `http://${a}@${b}/x` },
	{ url: `http://${a}\\@${b}/x` },
	{ url: `http://${b}\\@${a}/x` },
	{ url: ` http://${b}/x` },
	{ baseURL: `http://${b}`, url: `http://${a}/x` },
	{ baseURL: `http://${b}` },
	{ url: `http://${a}/x`, uri: `http://${b}/x` },
	{ url: null, uri: `http://${b}/x` },
	{ url: [`http://${b}/x`] },
	{ url: '/x' },
	{ url: '' },
	{ url: `blob:http://${a}/x` },
	{ url: `http://${a}/x`, proxy: `http://${b}` },
	{ url: `http://${a}/x`, proxy: { host: '127.0.0.1', port: 82 } },
	{ url: `http://${a}/x`, headers: { Host: 'example.com' } },
	{ url: `http://${a}/x`, headers: { ' HOST ': `${b}@${a}` } },
	{ url: `http://${a}/x`, headers: { Host: [a, b] } },
];
const OWN: object[] = [
	{ url: `http://${a}/x` },
	{ url: `http://${a}/prefix/x?y=z#w` },
	{ url: `HTTP://${a}/x` },
	{ url: 'http://0x7f.1:81/x' },
	{ url: `http://somebody:else@${a}/x` },
	below('/x'),
	below(`http://${a}/x`),
	{ baseURL: `http://${a}/x` },
	{ uri: `http://${a}/x` },
	{ url: `http://${a}/x`, headers: { host: a } },
	{ url: `http://${a}/x`, headers: { Host: undefined } },
	{ url: `http://${a}/x?name=a b` },
	{ url: `http://${a}/x`, proxy: false },
	{ url: `http://${a}/@${b}/x` },
	{ url: `http://${a}/?to=http://${b}/` },
];
const isRefused = (baseUrl: string, request: object) => {
	try {
		refuseOtherOrigin(request, { apiKey: KEY, baseUrl });
		return false;
	} catch (error) {
		expect((error as Error).message).toMatch(/^The Workchat API key is sent to \S+ only/);
		return true;
	}
};
test('what leads elsewhere is refused, and nothing that goes to the service', () => {
	const isHere = (request: object) => !isRefused(`http://${a}/prefix`, request);
	expect(ELSEWHERE.filter(isHere)).toEqual([]);
	expect(OWN.filter(isHere)).toEqual(OWN);
});
test.each([
	['https://example.com', 'https://example.com:443/x', true],
	['https://example.com:443/', 'https://EXAMPLE.com/x', true],
	['http://example.com:80', 'http://example.com/x', true],
	['https://bücher.example', 'https://xn--bcher-kva.example/x', true],
	['https://example.com', 'https://example.com./x', false],
	['https://example.com', 'http://example.com/x', false],
	['https://example.com', 'https://www.example.com/x', false],
	['https://example.com', 'https://\u0435xample.com/x', false],
	['https://example.com', 'https://example.com%2eexample.net/x', false],
])('with the Base URL %s, %s is its own: %p', (baseUrl, url, isOwn) => {
	expect(isRefused(baseUrl, { url })).toBe(!isOwn);
});

type Authenticate = (credential: object, request: object) => Promise<object>;
test('what n8n authenticates gets the key, and follows no redirect', async () => {
	const own = { apiKey: ` ${KEY}`, baseUrl: `http://${a}` };
	const { authenticate } = new WorkchatApi() as unknown as Record<'authenticate', Authenticate>;
	const request = { url: `http://${a}/x`, maxRedirects: 5 };
	const following = { followRedirect: true, followAllRedirects: true };
	const headers = { accept: 'x' };
	expect(await authenticate(own, { ...request, ...following, headers })).toEqual({
		...request,
		disableFollowRedirect: true,
		followRedirect: false,
		followAllRedirects: false,
		headers: { ...headers, 'X-Service-Key': KEY },
	});
	await expect(authenticate(own, { url: `http://${b}/x` })).rejects.toThrow(`to http://${a} only`);
});

test.each([
	['https://me:secret@example.com/a/', 'https://example.com/a', 'https://me:secret@example.com/a'],
	['HTTPS://EXAMPLE.com:443', 'HTTPS://EXAMPLE.com:443', 'https://example.com/'],
])('the address %s is shown as %s, and is the same as %s', (baseUrl, shown, address) => {
	const credential = checkedCredential({ apiKey: KEY, baseUrl });
	expect([shownBaseUrl(credential), addressOf(credential)]).toEqual([shown, address]);
});
