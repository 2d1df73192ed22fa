import type { IAuthenticate, IExecuteFunctions, NodeApiError } from 'n8n-workflow';

import { WorkchatApi } from '../../../credentials/WorkchatApi.credentials';
import { standIns } from '../../../dev/engine/standIns';
import {
	canonicalBaseUrl,
	validateCredential,
	assertSameOrigin,
	baseUrlWithoutUser,
} from '../../../nodes/Workchat/service/credential';
import { json, useOwnServer } from '../../support/ownServer';
import { KEY, resultOf, workflowOf } from '../../support/setup';

/** Other nodes can use the credential, too. The API key is sent to the origin of its Base URL only. */

/** `a` is the service, `b` another host. */
const [a, b] = ['127.0.0.1:81', 'b.example:82'];
const below = (url: string) => ({ baseURL: `http://${a}`, url });
const urls = (...all: string[]) => all.map((url) => ({ url }));
const OTHER_ORIGIN: object[] = [
	...urls(`http://${b}/x`, 'http://localhost:81/x', 'http://[::ffff:127.0.0.1]:81/x', '/x', ''),
	...urls(`http://${a}/\0x`),
	...urls(`http://${a}1/x`, `https://${a}/x`, `//${b}/x`, `http:${b}/x`, `blob:http://${a}/x`),
	...urls(`http://${a}@${b}/x`, `http://${a}\\@${b}/x`, `http://${b}\\@${a}/x`, ` http://${b}/x`),
	...[`//${b}/x`, `http:///${b}/x`, `http://${b}/x`, `/\t/${b}/x`, ` //${b}/x`].map(below),
	...['\0http:', '\u00a0', '\u3000'].map((before) => below(`${before}//${b}/x`)),
	{ baseURL: `http://${b}`, url: `http://${a}/x` },
	{ baseURL: `http://${b}` },
	{ url: `http://${a}/x`, uri: `http://${b}/x` },
	{ url: null, uri: `http://${b}/x` },
	{ url: [`http://${b}/x`] },
	{ url: `http://${a}/x`, proxy: `http://${b}` },
	{ url: `http://${a}/x`, proxy: { host: '127.0.0.1', port: 82 } },
	{ url: `http://${a}/x`, headers: { Host: 'example.com' } },
	{ url: `http://${a}/x`, headers: { ' HOST ': `${b}@${a}` } },
	{ url: `http://${a}/x`, headers: { Host: [a, b] } },
];
const SAME_ORIGIN: object[] = [
	...urls(`http://${a}/x`, `http://${a}/prefix/x?y=z#w`, `HTTP://${a}/x`, 'http://0x7f.1:81/x'),
	...urls(`http://somebody:else@${a}/x`, `http://${a}/x?name=a b`, `http://${a}/@${b}/x`),
	...urls(`http://${a}/?to=http://${b}/`),
	...['/x', `http://${a}/x`].map(below),
	{ baseURL: `http://${a}/x` },
	{ uri: `http://${a}/x` },
	{ url: `http://${a}/x`, headers: { host: a } },
	{ url: `http://${a}/x`, headers: { Host: undefined } },
	{ url: `http://${a}/x`, proxy: false },
];
const isRejected = (baseUrl: string, request: object) => {
	try {
		assertSameOrigin(request, { apiKey: KEY, baseUrl });
		return false;
	} catch (error) {
		expect((error as Error).message).toMatch(/^The Workchat API key is sent to \S+ only/);
		return true;
	}
};
test('the credential sends its API key only to the origin of its Base URL', () => {
	const isAllowed = (request: object) => !isRejected(`http://${a}/prefix`, request);
	expect(OTHER_ORIGIN.filter(isAllowed)).toEqual([]);
	expect(SAME_ORIGIN.filter(isAllowed)).toEqual(SAME_ORIGIN);
});
test.each([
	['https://example.com', 'https://example.com:443/x', true],
	['http://example.com:80', 'http://example.com/x', true],
	['https://bücher.example', 'https://xn--bcher-kva.example/x', true],
	['https://example.com', 'https://\u0435xample.com/x', false],
	['https://example.com', 'https://example.com%2eexample.net/x', false],
])('with the Base URL %s, the API key may be sent to %s: %p', (baseUrl, url, isSameOrigin) => {
	expect(isRejected(baseUrl, { url })).toBe(!isSameOrigin);
});

const [service, other] = [useOwnServer(), useOwnServer()];
const ASKER = 'test.asker';
afterAll(() => void standIns.delete(ASKER));
/** All options that follow redirects. */
const FOLLOWING = {
	disableFollowRedirect: false,
	followRedirect: true,
	followAllRedirects: true,
	maxRedirects: 5,
	sendCredentialsOnCrossOriginRedirect: true,
};
/** Makes requests from a node with the credential. Returns the error of each, if any. */
async function askBy(ask: (this: IExecuteFunctions, request: never) => unknown, all: object[]) {
	async function execute(this: IExecuteFunctions) {
		const refusals = all.map(async (request) => {
			return await (ask.call(this, request as never) as Promise<unknown>).then(
				() => undefined,
				({ message, description }: NodeApiError) => `${message} ${description}`,
			);
		});
		return [(await Promise.all(refusals)).map((refusal) => ({ json: { refusal } }))];
	}
	const { description } = standIns.get('n8n-nodes-base.noOp')!;
	const credentials = [{ name: 'workchatApi', required: true }];
	standIns.set(ASKER, { description: { ...description, credentials }, execute });
	const run = await service.engine.run(workflowOf([{}], {}, { type: ASKER }));
	return resultOf(run).items.map(({ json }) => json.refusal);
}
const refused = () => expect.stringContaining(`sent to ${service.url} only`) as string;

const HELPERS = ['httpRequestWithAuthentication', 'requestWithAuthentication'] as const;
test.each(HELPERS)(
	'with %s, the key is sent only to the service, and redirects are not followed',
	async (helper) => {
		service.answer = (_, response, { url }) =>
			void response.writeHead(Number(url?.slice(1)), { location: other.url }).end();
		const redirected = [301, 303, 307].flatMap((status) => {
			const url = `${service.url}/${status}`;
			return [{ url }, { url, method: 'POST', body: { x: 1 } }, { url, ...FOLLOWING }];
		});
		const elsewhere = [{ url: other.url }, { baseURL: other.url, url: service.url }];
		const requests = [...elsewhere, { url: `${service.url}/200` }, ...redirected];
		const refusals = await askBy(function (request) {
			return this.helpers[helper].call(this, 'workchatApi', request);
		}, requests);
		expect(refusals.slice(0, 3)).toEqual([refused(), refused(), undefined]);
		const keys = service.requests.map(({ key }) => key);
		expect(keys).toEqual(Array(1 + redirected.length).fill(KEY));
		expect(other.requests).toEqual([]);
	},
);

test('with pagination as in HTTP Request, the key is not sent to a page of another origin', async () => {
	service.answer = (_, response) => json(response, { next: other.url });
	const request = { url: '={{ $response?.body?.next ?? $request.url }}' };
	const pages = { continue: true, maxRequests: 2, request, requestInterval: 0 };
	async function ask(this: IExecuteFunctions, first: never) {
		const { requestWithAuthenticationPaginated: askForPages } = this.helpers;
		return await askForPages.call(this, first, 0, pages as never, 'workchatApi');
	}
	const refusals = await askBy(ask, [{ url: service.url, json: true }]);
	expect(refusals).toEqual([refused()]);
	expect([service.requests.length, other.requests]).toEqual([1, []]);
});

test('the key is added to the headers of a request, without changing the original', async () => {
	const request = Object.freeze({ url: `http://${a}/x`, headers: Object.freeze({ own: 'x' }) });
	const authenticate = new WorkchatApi().authenticate as Extract<IAuthenticate, CallableFunction>;
	const sent = await authenticate({ apiKey: ` ${KEY}\n`, baseUrl: `http://${a}` }, request);
	expect(sent.headers).toEqual({ own: 'x', 'X-Service-Key': KEY });
});

test.each([
	['https://me:secret@example.com/a/', 'https://example.com/a', 'https://me:secret@example.com/a'],
	['HTTPS://EXAMPLE.com:443', 'HTTPS://EXAMPLE.com:443', 'https://example.com/'],
])(
	'the Base URL %s is displayed as %s, and its canonical form is %s',
	(baseUrl, shown, address) => {
		const credential = validateCredential({ apiKey: KEY, baseUrl });
		expect([baseUrlWithoutUser(credential), canonicalBaseUrl(credential)]).toEqual([
			shown,
			address,
		]);
	},
);

test('a Base URL with an umlaut stays valid after 20,000 checks', () => {
	const credential = { apiKey: KEY, baseUrl: 'https://bücher.example' };
	for (let time = 0; time < 20_000; time++) validateCredential(credential);
});
