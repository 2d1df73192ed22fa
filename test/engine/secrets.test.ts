import { LoggerProxy } from 'n8n-workflow';

import { everyNth } from '../support/everyNth';
import { retrying } from '../support/messages';
import { useOwnServer, type OwnServer } from '../support/ownServer';
import { DOWNLOAD, resultOf, SEND, VIDEO, workflowOf, type NodeSettings } from '../support/setup';

/** Wherever a service repeats what it was sent: nothing that is kept tells a secret. */

/** With what JSON and links escape. */
const secretOf = (name: string) => `${name}-"0123'/+=&%4<\\u0041>~ ${'abcdef'.repeat(4)}`;
const API_KEY = secretOf('api-key');
const ENCODE_DATA = `{"${secretOf('encode-data')}":"\r\n\té密"}`;
const AES_KEY = secretOf('aes-key');
const AUTH_KEY = `${secretOf('auth-key')}\n`;
const SIGNATURE = 'fake-signature-0123456789';
/** Of a link in an answer. */
const OTHER_SIGNATURE = 'fake-other-signature-0123456789';

const json = (text: string) => JSON.stringify(text).slice(1, -1);
const ascii = (text: string) => text.replace(/[^\x21-\x7e]/g, (c) => encodeURIComponent(c));
/** What a service answers with that repeats the given text. */
type Answer = (
	echo: string,
	own: OwnServer,
) => {
	status?: number;
	headers?: Record<string, string>;
	/** Without it, the connection is closed. */
	body?: unknown;
	/** The connection breaks in the middle of it. */
	isCut?: boolean;
};

const NO = { ok: false, code: 7, message: 'no', request_id: 'svc_1' };
const done = (data: unknown, request_id = 'svc_1') => ({
	body: { ok: true, code: 0, request_id, data },
});
/** A link to the own server, which answers as its query says. */
const link =
	(queryOf: (echo: string) => Record<string, string>): Answer =>
	(echo, { url }) => {
		const query = new URLSearchParams({ ...queryOf(echo), sig: OTHER_SIGNATURE }).toString();
		return done({ url: `${url}/file/${encodeURIComponent(echo)}?${query}` }, echo);
	};

/** Failures that every operation knows. */
const ANYWHERE: Record<string, Answer> = {
	'a refusal': (echo) => ({ body: { ...NO, message: `no: ${echo}`, data: { [echo]: echo } } }),
	'a refusal of HTTP 403': (echo) => ({ status: 403, body: { ...NO, message: echo } }),
	'an error of HTTP 500': (echo) => ({ status: 500, body: { ...NO, message: echo } }),
	'a page': (echo) => ({ status: 403, body: `<html>${echo}` }),
	'no JSON': (echo) => ({ body: `{"ok":"${echo} is wrong` }),
	'no answer': () => ({}),
	'an answer that breaks off': (echo) => ({ body: `{"ok":false,"message":"${echo}`, isCut: true }),
	'a request ID': (echo) => ({ body: { ...NO, request_id: echo } }),
	'the path of a redirect': (echo) => ({
		status: 302,
		headers: { location: `http://127.0.0.1/${encodeURIComponent(echo)}/x` },
		body: '',
	}),
	headers: (echo) => {
		const names = ['retry-after', 'content-type', 'set-cookie', 'content-disposition', 'etag'];
		const headers = Object.fromEntries(names.map((name) => [name, `x/x; x="${ascii(echo)}"`]));
		return { status: 503, headers, body: NO };
	},
};
/** Failures to get at a file. */
const OF_DOWNLOADS: Record<string, Answer> = {
	'a host of a link': (echo) => done({ url: `http://${encodeURIComponent(echo)}.invalid/` }),
	'a link that is refused': link((echo) => ({ status: '403', e: echo })),
	'a link to a message': link((echo) => ({
		body: JSON.stringify({ ...NO, message: `${echo} ${OTHER_SIGNATURE}` }),
	})),
	'a link that redirects': link((echo) => ({ status: '302', to: `ftp://x/${echo}` })),
};

const own = useOwnServer();
let logged: string[];
/** What the service does with the item of this number, and with what secrets. */
let answers: Answer[];
let echo: string;
beforeEach(() => {
	logged = [];
	const log = (...entry: unknown[]) => void logged.push(JSON.stringify(entry));
	LoggerProxy.init({ debug: log, info: log, warn: log, error: log });
	own.credential.apiKey = API_KEY;
	own.answer = ({ body }, response, { url = '' }) => {
		const { searchParams, pathname } = new URL(url, own.url);
		if (pathname.startsWith('/file')) {
			const [status, to] = [Number(searchParams.get('status') ?? 200), searchParams.get('to')];
			const location = to && { location: encodeURI(to) };
			response.writeHead(status, { 'content-type': 'application/json', ...location });
			return void response.end(searchParams.get('body') ?? 'gone');
		}
		const answer = answers[Number(body.toId ?? body.instance_guid) - 1] ?? answers[0]!;
		const { status = 200, headers, body: said, isCut } = answer(echo, own);
		if (said === undefined) return void response.destroy();
		const text = typeof said === 'string' ? said : JSON.stringify(said);
		const length = isCut && { 'content-length': text.length + 100 };
		response.writeHead(status, { 'content-type': 'application/json', ...headers, ...length });
		if (isCut) response.write(text, () => response.destroy());
		else response.end(text);
	};
});

/** The first secret that a value tells, whole or but for its end. */
function told(value: unknown, secrets: string[]): string | undefined {
	const text = JSON.stringify(value) ?? '';
	// The text is JSON, so that one more escape may be around it.
	const forms = secrets.flatMap((secret) => [secret, json(secret), json(json(secret))]);
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
		{ ...SEND, toId: '={{ $json.number }}', feedVideo: JSON.stringify(video), options },
		[API_KEY, ENCODE_DATA, SIGNATURE],
		ANYWHERE,
	],
	[
		'download',
		{ ...DOWNLOAD, instanceGuid: '={{ $json.number }}', file: JSON.stringify(file), options },
		[API_KEY, AES_KEY, AUTH_KEY, SIGNATURE],
		{ ...ANYWHERE, ...OF_DOWNLOADS },
	],
];

describe.each(OPERATIONS)('%s', (_, parameters, secrets, all) => {
	const names = Object.keys(all);
	const never = [...secrets, OTHER_SIGNATURE];
	/** Runs items that fail; neither their failures nor anything else of the run may tell a secret. */
	async function expectNothingTold(failing: string[], settings: NodeSettings) {
		const items = failing.map((name) => ({ number: String(names.indexOf(name) + 1) }));
		const run = await own.engine.run(workflowOf(items, { ...parameters }, settings));
		const { error, errorItems } = resultOf(run);
		const failures = [error, ...errorItems.map((item) => item.json.error)].filter(Boolean);
		expect(failures).toHaveLength(failing.length);
		for (const [index, failure] of (failures as Array<Record<string, string>>).entries()) {
			const { message = '', description = '', stack } = failure;
			expect([failing[index], told([failure, message, stack], never)]).toEqual([
				failing[index],
				undefined,
			]);
			expect(Math.max(message.length, description.length)).toBeLessThan(1300);
		}
		const { Workchat: ran, ...others } = run.data.resultData.runData;
		expect(JSON.stringify(others)).not.toContain(json(API_KEY));
		const saved = [ran, run.data.executionData?.contextData, run.data.startData, logged];
		expect(told(saved, never)).toBeUndefined();
		expect(logged.join('\n')).toMatch(/Running node .+Workchat.+ started/);
	}

	beforeEach(() => {
		answers = Object.values(all);
		echo = secrets.join(' ');
	});

	test('no failure tells a secret, nor more than a few sentences', async () => {
		await expectNothingTold(names, { onError: 'continueErrorOutput' });
	});

	test('nor does an error that stops the workflow', async () => {
		for (const name of everyNth(names, 5)) await expectNothingTold([name], retrying(2));
	});

	test('nor does a success', async () => {
		const content = Buffer.alloc(900, 'content').toString('base64');
		answers = [() => done({ content })];
		const run = await own.engine.run(workflowOf([{ number: '1' }], { ...parameters }));
		expect(resultOf(run).items[0]?.json).toMatchObject({ code: 0 });
		expect(told([run.data.resultData.runData.Workchat, logged], secrets)).toBeUndefined();
	});
});
