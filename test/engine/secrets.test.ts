import { CredentialTestContext } from 'n8n-core';
import { LoggerProxy } from 'n8n-workflow';

import { Workchat } from '../../nodes/Workchat/Workchat.node';
import { useOwnServer, type OwnServer } from '../support/ownServer';
import { DOWNLOAD, resultOf, SEND, VIDEO, workflowOf, type NodeSettings } from '../support/setup';
import { everyNth } from '../support/everyNth';

/**
 * Whatever a service repeats of a request, and wherever: nothing that is kept tells a secret. In what
 * forms: secrets.test.ts.
 */

/** With all that is escaped in one way or another. */
const secretOf = (name: string) => `${name}-"0123'/+=&%4<\\u0041>~ ${'abcdef'.repeat(4)}`;
const API_KEY = secretOf('api-key');
const ENCODE_DATA = `{"${secretOf('encode-data')}":"\r\n\té密"}`;
const AES_KEY = secretOf('aes-key');
const AUTH_KEY = `${secretOf('auth-key')}\n`;
const SIGNATURE = 'fake-signature-0123456789';

const json = (text: string) => JSON.stringify(text).slice(1, -1);
const ascii = (text: string) => text.replace(/[^\x21-\x7e]/g, (c) => encodeURIComponent(c));
/** What a service answers with that repeats the given text. */
type Answer = (
	echo: string,
	own: OwnServer,
) => {
	status?: number;
	headers?: Record<string, string>;
	reason?: string;
	body?: unknown;
	/** What becomes of the connection, instead of a body or in the middle of it. */
	then?: 'nothing' | 'cut';
};

const NO = { ok: false, code: 7, message: 'no', request_id: 'svc_1' };
/** A refusal that repeats the text somewhere. */
const refusal =
	(repeated: (echo: string) => object, status = 200): Answer =>
	(echo) => ({ status, body: { ...NO, ...repeated(echo) } });
const done = (data: unknown, more = {}) => ({
	body: { ok: true, code: 0, request_id: 'svc_1', data, ...more },
});
const redirect =
	(location: (echo: string) => string): Answer =>
	(echo) => ({ status: 302, headers: { location: location(encodeURIComponent(echo)) } });
/** A link to the own server, which answers as its query says. */
const link =
	(queryOf: (echo: string) => Record<string, string>): Answer =>
	(echo, { url }) => {
		const query = new URLSearchParams({ ...queryOf(echo), sig: SIGNATURE }).toString();
		return done({ url: `${url}/file/${encodeURIComponent(echo)}?${query}` }, { request_id: echo });
	};

const STATUSES = [400, 403, 500];
/** Of failures that every operation knows. */
const ANYWHERE: Record<string, Answer> = {
	...Object.fromEntries(
		STATUSES.flatMap(
			(status): Array<[string, Answer]> => [
				[`an envelope of HTTP ${status}`, refusal((echo) => ({ message: echo }), status)],
				[`a page of HTTP ${status}`, (echo) => ({ status, body: `<html>${echo}` })],
			],
		),
	),
	'no JSON': (echo) => ({ body: `{"ok":"${echo}` }),
	'no answer': () => ({ then: 'nothing' }),
	'a closed connection': () => ({ then: 'cut' }),
	'an answer that breaks off': (echo) => ({ body: `{"ok":false,"message":"${echo}`, then: 'cut' }),
	'a message': refusal((echo) => ({ message: `no: ${echo}` })),
	'a message in the middle of a link': refusal((echo) => ({
		message: `see http://x/?a=${echo}&b=${echo} or ${echo}`,
	})),
	'a request ID': refusal((echo) => ({ request_id: echo })),
	'data of a refusal': refusal((echo) => ({ data: { [echo]: echo } })),
	'something else': (echo) => ({ body: `${echo} is wrong` }),
	'a path of a redirect': redirect((echo) => `http://127.0.0.1/${echo}/x`),
	'a redirect alone': redirect((echo) => echo),
	headers: (echo) => {
		const names = ['retry-after', 'content-type', 'set-cookie', 'content-disposition', 'etag'];
		const headers = Object.fromEntries(names.map((name) => [name, `x/x; x="${ascii(echo)}"`]));
		return { status: 503, headers, body: NO };
	},
};
/** Of failures to get at a file. */
const OF_DOWNLOADS: Record<string, Answer> = {
	'keys of data': (echo) => done({ [echo]: 1, [`a ${echo}`]: { [echo]: 2 } }),
	'keys on the way to several files': (echo) =>
		done({ [echo]: { [echo]: 'http://127.0.0.1/1' }, b: 'http://127.0.0.1/2' }),
	'the request ID of no file': (echo) => done({}, { request_id: echo }),
	'a host of a link': (echo) => done({ url: `http://${encodeURIComponent(echo)}.invalid/` }),
	'a link that is refused': link((echo) => ({ status: '403', e: echo })),
	'a link to a message': link((echo) => ({
		body: JSON.stringify({ ...NO, message: `${echo} ${SIGNATURE}` }),
	})),
	'a link that redirects': link((echo) => ({ status: '302', to: `ftp://x/${echo}` })),
};

/** What a service does with the item of this number. */
interface Case {
	place: string;
	answer: Answer;
	/** The secrets that it writes. */
	echo: string;
}

const own = useOwnServer();
let logged: string[];
let cases: Case[];
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
		const { answer, echo } = cases[Number(body.toId ?? body.instance_guid ?? 0)] ?? cases[0]!;
		const { status = 200, headers = {}, reason, body: said = '', then } = answer(echo, own);
		if (then === 'nothing') return;
		if (reason) response.statusMessage = reason;
		const text = typeof said === 'string' ? said : JSON.stringify(said);
		const length = then && { 'content-length': text.length + 100 };
		response.writeHead(status, { 'content-type': 'application/json', ...headers, ...length });
		if (!then) return void response.end(text);
		response.write(text, () => response.destroy());
	};
});

function casesOf(answers: Record<string, Answer>, secrets: string[]): Case[] {
	return Object.entries(answers).map(([place, answer]) => {
		return { place, answer, echo: secrets.join(place.includes('alone') ? '' : ' ') };
	});
}

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

describe.each(OPERATIONS)('%s', (_, parameters, secrets, answers) => {
	/** What came of the items, once it is sure that nothing else of the run tells a secret. */
	async function failuresOf(numbers: number[], settings: NodeSettings) {
		const items = numbers.map((number) => ({ number: String(number) }));
		const run = await own.engine.run(workflowOf(items, { ...parameters }, settings));
		const { error, items: continued, errorItems } = resultOf(run);
		const failed = [...continued, ...errorItems].map(({ json: { error: failure } }) => failure);
		const failures = [error, ...failed].filter(Boolean) as Array<Record<string, string>>;
		expect(failures).toHaveLength(numbers.length);
		const telling = numbers.flatMap((number, index) => {
			const leak = told([failures[index], failures[index]?.stack], secrets);
			return leak ? [{ ...cases[number], leak }] : [];
		});
		expect(telling).toEqual([]);
		const { Workchat: ran, ...others } = run.data.resultData.runData;
		expect(JSON.stringify(others)).not.toContain(json(API_KEY));
		const saved = [ran, run.data.executionData?.contextData, run.data.startData, logged];
		expect(told(saved, secrets)).toBeUndefined();
		expect(logged.join('\n')).toMatch(/Running node .+Workchat.+ started/);
		return failures;
	}

	beforeEach(() => (cases = casesOf(answers, secrets)));

	test('no failure tells a secret, nor more than a few sentences', async () => {
		const settings = { onError: 'continueErrorOutput' } as const;
		for (const failure of await failuresOf([...cases.keys()], settings)) {
			expect(failure.message!.length).toBeLessThan(1300);
			expect(failure.description!.length).toBeLessThan(1300);
			expect(JSON.stringify(failure).length).toBeLessThan(20_000);
		}
	});

	test('nor does an error that stops the workflow', async () => {
		const again = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
		for (const number of everyNth([...cases.keys()], 6)) {
			const [error] = await failuresOf([number], again);
			expect(error?.message?.length).toBeLessThan(1300);
		}
	});

	test('nor does a success', async () => {
		const content = Buffer.alloc(900, 'content').toString('base64');
		cases = [{ place: '', echo: '', answer: () => done({ content }) }];
		const run = await own.engine.run(workflowOf([{ number: '0' }], { ...parameters }));
		expect(resultOf(run).items[0]?.json).toMatchObject({ code: 0 });
		expect(own.requests).toHaveLength(1);
		expect(told([run.data.resultData.runData.Workchat, logged], secrets)).toBeUndefined();
	});
});

test('bad input tells no secret either', async () => {
	const bad = { feedId: '={{ true }}', channelUrl: `ftp://example.com/?sig=${SIGNATURE}` };
	const all = { ...SEND, specifyFeedVideo: 'fields', toId: 'customer', ...video, ...bad };
	const run = await own.engine.run(workflowOf([{}], all));
	expect(resultOf(run).error?.message).toMatch(/Channel URL is not a URL/);
	expect(told([run.data.resultData, logged], [API_KEY, ENCODE_DATA, SIGNATURE])).toBeUndefined();
});

test('nor does the test of the credential', async () => {
	const { testConnection } = new Workchat().methods.credentialTest;
	const answers = Object.entries(ANYWHERE).filter(([, answer]) => answer.length > 0);
	for (const each of casesOf(Object.fromEntries(answers), [API_KEY])) {
		cases = [each];
		const { message } = await testConnection.call(new CredentialTestContext(), {
			id: '1',
			name: 'x',
			type: 'workchatApi',
			data: own.credential,
		});
		const leak = told([message, logged], [API_KEY]);
		expect({ ...each, leak }).toEqual({ ...each, leak: undefined });
		expect(message.length).toBeLessThan(1500);
	}
});
