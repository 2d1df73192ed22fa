import { LoggerProxy } from 'n8n-workflow';

import { Container, coreRequire } from '../../dev/engine/coreEnvironment';
import { retrying } from '../support/messages';
import { useOwnServer } from '../support/ownServer';
import { DOWNLOAD, resultOf, SEND, VIDEO, workflowOf, type NodeSettings } from '../support/setup';
import { stopClockWhileBusy } from '../support/turns';

/** Wherever a service repeats what it was sent: nothing that is kept tells a secret. */

/** With what JSON and links escape. */
const secretOf = (name: string) => `${name}-"0123'/+=&%4<\\u0041>~ ${'abcdef'.repeat(4)}`;
const API_KEY = secretOf('api-key');
const ENCODE_DATA = `{"${secretOf('encode-data')}":"\r\n\té密"}`;
const AES_KEY = secretOf('aes-key');
const AUTH_KEY = `${secretOf('auth-key')}\n`;
const SIGNATURE = 'fake-signature-0123456789';
/** Stands in a link of an answer. */
const OTHER_SIGNATURE = 'fake-other-signature-0123456789';

const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
const ascii = (text: string) => text.replace(/[^\x21-\x7e]/g, (c) => encodeURIComponent(c));
/** What a service answers with that repeats the given text; without a body, it closes the connection. */
type Answer = (echo: string) => {
	status?: number;
	headers?: Record<string, string>;
	body?: unknown;
};

const own = useOwnServer();
beforeAll(stopClockWhileBusy);

/** Failures that every operation knows. */
const ANYWHERE: Record<string, Answer> = {
	'a refusal': (echo) => {
		const all = { code: echo, message: `no: ${echo}`, request_id: echo, data: { [echo]: echo } };
		return { body: { ok: false, ...all } };
	},
	'no JSON': (echo) => ({ body: `${echo} is wrong` }),
	'no answer': () => ({}),
	'the path of a redirect': (echo) => redirect(`http://127.0.0.1/${encodeURIComponent(echo)}/x`),
	headers: (echo) => {
		const names = ['retry-after', 'content-type', 'set-cookie', 'content-disposition', 'etag'];
		const headers = Object.fromEntries(names.map((name) => [name, `x/x; x="${ascii(echo)}"`]));
		return { status: 503, headers, body: { ok: false, code: 7 } };
	},
};
const done = (data: unknown) => ({ body: { ok: true, code: 0, request_id: 'svc_1', data } });
const linkTo =
	(place: string): Answer =>
	(echo) =>
		done({ url: `${own.url}/${place}/${encodeURIComponent(echo)}?sig=${OTHER_SIGNATURE}` });
/** Failures to get at a file. */
const OF_DOWNLOADS: Record<string, Answer> = {
	'keys of data': (echo) => done({ [echo]: echo }),
	'a host of a link': (echo) => done({ url: `http://${encodeURIComponent(echo)}.invalid/` }),
	'a link to a message': linkTo('message'),
	'a link that redirects': linkTo('redirect'),
};
const redirect = (location: string) => ({ status: 302, headers: { location }, body: '' });
/** What the links lead to. */
const PLACES: Record<string, Answer> = {
	message: (echo) => ({ body: { ok: false, code: 7, message: `${echo} ${OTHER_SIGNATURE}` } }),
	redirect: (echo) => redirect(encodeURI(`ftp://x/${echo}`)),
};

/** n8n has a logger for itself, and one for nodes. */
const logged: unknown[] = [];
const log = (...entry: unknown[]) => void logged.push(...entry);
const levels = { debug: log, info: log, warn: log, error: log };
const { Logger } = coreRequire('@n8n/backend-common') as typeof import('@n8n/backend-common');
const quiet = Container.get(Logger);
beforeAll(() => {
	LoggerProxy.init(levels);
	Container.set(Logger, Object.create(quiet, Object.getOwnPropertyDescriptors(levels)) as never);
});
afterAll(() => Container.set(Logger, quiet));
beforeEach(() => {
	logged.length = 0;
	own.credential.apiKey = API_KEY;
});

/** The first secret that a value tells, whole or but for its end. */
function told(value: unknown, secrets: string[]): string | undefined {
	const text = JSON.stringify(value) ?? '';
	// The text is JSON, so that one more escape may be around it.
	const forms = secrets.flatMap((secret) => [secret, inJson(secret), inJson(inJson(secret))]);
	return forms.map((form) => form.slice(0, 24)).find((known) => text.includes(known));
}

const options = { maxTries: 1, timeout: 2000, maxConcurrency: 50 };
const coverUrl = `https://example.com/?sig=${SIGNATURE}`;
const video = { ...VIDEO, encodeData: ENCODE_DATA, coverUrl };
const secretsOfFile = { fileAeskey: AES_KEY, fileAuthkey: AUTH_KEY, fileUrl: coverUrl };
const file = { ...secretsOfFile, fileSize: 1, fileType: 5 };
/** The secrets stand in the parameters, as n8n itself puts the input item into an error output. */
const OPERATIONS: Array<[string, object, string[], Record<string, Answer>]> = [
	[
		'send',
		// The recipient is a secret that was filled in by mistake.
		{ ...SEND, toId: API_KEY, feedVideo: JSON.stringify(video) },
		[API_KEY, ENCODE_DATA, SIGNATURE],
		ANYWHERE,
	],
	[
		'download',
		{ ...DOWNLOAD, file: JSON.stringify(file) },
		[API_KEY, AES_KEY, AUTH_KEY, SIGNATURE],
		{ ...ANYWHERE, ...OF_DOWNLOADS },
	],
];

describe.each(OPERATIONS)('%s', (_, ofOperation, secrets, all) => {
	/** Fail in one run, or each in one that it stops. */
	const RUNS: Array<[string[], NodeSettings]> = [
		[Object.keys(all), { onError: 'continueErrorOutput' }],
		...Object.keys(all).map((name): [string[], NodeSettings] => [[name], retrying(2)]),
	];
	test.each(RUNS)('no failure shows a secret: %j', async (failing, settings) => {
		own.answer = ({ body: sent }, response, { url = '' }) => {
			const answer = PLACES[url.split('/')[1]!] ?? all[String(sent.instance_guid)]!;
			const { status = 200, headers, body } = answer(secrets.join(' '));
			if (body === undefined) return void response.destroy();
			response.writeHead(status, { 'content-type': 'application/json', ...headers });
			response.end(typeof body === 'string' ? body : JSON.stringify(body));
		};
		const items = failing.map((name) => ({ name }));
		const parameters = { ...ofOperation, instanceGuid: '={{ $json.name }}', options };
		const run = await own.engine.run(workflowOf(items, parameters, settings));
		const { error, errorItems } = resultOf(run);
		const failures = [error, ...errorItems.map(({ json }) => json.error)].filter(Boolean);
		const never = [...secrets, OTHER_SIGNATURE];
		const tells = (failures as Error[]).map((one, index) => {
			return [failing[index], told([one, one.message, one.stack], never)];
		});
		expect(tells).toEqual(failing.map((name) => [name, undefined]));
		const { executionData, resultData, startData } = run.data;
		const saved = [resultData.runData, executionData?.contextData, startData, logged];
		expect(told(saved, never)).toBeUndefined();
		expect(JSON.stringify(logged)).toMatch(/Running node .+Workchat.+ started/);
		if (failing.includes('no JSON')) expect(JSON.stringify(logged)).toContain('outcome unknown');
	});

	test('neither a success nor its notices show a secret', async () => {
		const { body } = done({ content: Buffer.alloc(900, 'content').toString('base64') });
		own.answer = (_request, response) => void response.end(JSON.stringify(body));
		// Of equal recipients, there is a notice.
		const run = await own.engine.run(workflowOf([{}, {}], { ...ofOperation, instanceGuid: 'x' }));
		expect(resultOf(run).items[0]?.json).toMatchObject({ code: 0 });
		expect(told([run.data.resultData.runData.Workchat, logged], secrets)).toBeUndefined();
	});
});
