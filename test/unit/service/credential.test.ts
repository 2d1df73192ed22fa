import type { IAuthenticate, IExecuteFunctions, NodeApiError } from 'n8n-workflow';

import { WorkchatApi } from '../../../credentials/WorkchatApi.credentials';
import { standIns } from '../../../dev/engine/standIns';
import {
	addressOf,
	checkedCredential,
	refuseOtherOrigin,
	shownBaseUrl,
} from '../../../nodes/Workchat/service/credential';
import { json, useOwnServer } from '../../support/ownServer';
import { KEY, resultOf, workflowOf } from '../../support/setup';

/** Other nodes can use the credential, too: the API key goes to the origin of its Base URL alone. */

/** The service is at `a`; `b` is another host. */
const [a, b] = ['127.0.0.1:81', 'b.example:82'];
const below = (url: string) => ({ baseURL: `http://${a}`, url });
const urls = (...all: string[]) => all.map((url) => ({ url }));
const ELSEWHERE: object[] = [
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
const OWN: object[] = [
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
const isRefused = (baseUrl: string, request: object) => {
	try {
		refuseOtherOrigin(request, { apiKey: KEY, baseUrl });
		return false;
	} catch (error) {
		expect((error as Error).message).toMatch(/^The Workchat API key is sent to \S+ only/);
		return true;
	}
};
test('a request that leads elsewhere is refused, and none to the service', () => {
	const isHere = (request: object) => !isRefused(`http://${a}/prefix`, request);
	expect(ELSEWHERE.filter(isHere)).toEqual([]);
	expect(OWN.filter(isHere)).toEqual(OWN);
});
test.each([
	['https://example.com', 'https://example.com:443/x', true],
	['http://example.com:80', 'http://example.com/x', true],
	['https://bücher.example', 'https://xn--bcher-kva.example/x', true],
	['https://example.com', 'https://\u0435xample.com/x', false],
	['https://example.com', 'https://example.com%2eexample.net/x', false],
])('with the Base URL %s, %s is its own: %p', (baseUrl, url, isOwn) => {
	expect(isRefused(baseUrl, { url })).toBe(!isOwn);
});

const [service, other] = [useOwnServer(), useOwnServer()];
const ASKER = 'test.asker';
afterAll(() => void standIns.delete(ASKER));
/** With every option that says to follow a redirect. */
const FOLLOWING = {
	disableFollowRedirect: false,
	followRedirect: true,
	followAllRedirects: true,
	maxRedirects: 5,
	sendCredentialsOnCrossOriginRedirect: true,
};
/** Has a node that has the credential ask n8n for all of these; why each is refused. */
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
	'by %s, the key goes to the service alone, and with no redirect',
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

test('the key goes along to no next page elsewhere, as HTTP Request asks for pages', async () => {
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

test('a request gets the key beside its own headers, and stays as it was', async () => {
	const request = Object.freeze({ url: `http://${a}/x`, headers: Object.freeze({ own: 'x' }) });
	const authenticate = new WorkchatApi().authenticate as Extract<IAuthenticate, CallableFunction>;
	const sent = await authenticate({ apiKey: ` ${KEY}\n`, baseUrl: `http://${a}` }, request);
	expect(sent.headers).toEqual({ own: 'x', 'X-Service-Key': KEY });
});

test.each([
	['https://me:secret@example.com/a/', 'https://example.com/a', 'https://me:secret@example.com/a'],
	['HTTPS://EXAMPLE.com:443', 'HTTPS://EXAMPLE.com:443', 'https://example.com/'],
])('the address %s is shown as %s, and is the same as %s', (baseUrl, shown, address) => {
	const credential = checkedCredential({ apiKey: KEY, baseUrl });
	expect([shownBaseUrl(credential), addressOf(credential)]).toEqual([shown, address]);
});

test('a Base URL with an umlaut is accepted, however often it is read', () => {
	const credential = { apiKey: KEY, baseUrl: 'https://bücher.example' };
	for (let time = 0; time < 20_000; time++) checkedCredential(credential);
});
