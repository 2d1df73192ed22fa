import { CredentialTestContext } from 'n8n-core';
import { LoggerProxy } from 'n8n-workflow';

import { Workchat } from '../nodes/Workchat/Workchat.node';
import { useOwnServer, type OwnServer } from './ownServer';
import { DOWNLOAD, resultOf, SEND, VIDEO, workflowOf, type NodeSettings } from './setup';
import { sampleOf } from './thorough';

/** Whatever a service repeats of a request, and wherever and however: no error tells a secret. */

/** With all that is escaped in one way or another. */
const secretOf = (name: string) => `${name}-"0123'/+=&%4<\\u0041>~ ${'abcdef'.repeat(4)}`;
const API_KEY = secretOf('api-key');
const ENCODE_DATA = `{"${secretOf('encode-data')}":"\r\n\té密"}`;
const AES_KEY = secretOf('aes-key');
const AUTH_KEY = `${secretOf('auth-key')}\n`;
const SIGNATURE = 'fake-signature-0123456789';

const json = (text: string) => JSON.stringify(text).slice(1, -1);
const html = (text: string) =>
	text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
const ascii = (text: string) => text.replace(/[^\x21-\x7e]/g, (c) => encodeURIComponent(c));
const ENCODERS: Record<string, (text: string) => string> = {
	raw: (text) => text,
	json,
	url: encodeURIComponent,
	form: (text) => new URLSearchParams({ x: text }).toString().slice(2),
	html,
	'json in json': (text) => json(json(text)),
	'json in url': (text) => encodeURIComponent(json(text)),
	'html in json': (text) => json(html(text)),
};

/** What a service answers with that repeats the given text. */
type Answer = (
	echo: string,
	own: OwnServer,
) => {
	status?: number;
	headers?: Record<string, string>;
	reason?: string;
	body?: unknown;
};

const envelope = (more: object) => ({
	ok: false,
	code: 7,
	message: 'no',
	request_id: 'svc_1',
	...more,
});
const done = (data: unknown, more = {}) => ({
	ok: true,
	code: 0,
	request_id: 'svc_1',
	data,
	...more,
});
const redirect =
	(location: (echo: string) => string): Answer =>
	(echo) => ({
		status: 302,
		headers: { location: location(ascii(echo)) },
	});

/** Of failures that every operation knows. */
const ANYWHERE: Record<string, Answer> = {
	'a message': (echo) => ({ body: envelope({ message: `no: ${echo}` }) }),
	'a message of nothing else': (echo) => ({ body: envelope({ message: echo }) }),
	'a message in the middle of a link': (echo) => ({
		body: envelope({ message: `see http://x/?a=${echo}&b=${echo} or ${echo}` }),
	}),
	'a very long message': (echo) => ({
		body: envelope({ message: `${'x '.repeat(300)}${`${echo} `.repeat(2000)}` }),
	}),
	'a message of an error': (echo) => ({ status: 500, body: envelope({ message: echo }) }),
	'a request ID': (echo) => ({ body: envelope({ request_id: echo }) }),
	'a very long request ID': (echo) => ({
		body: envelope({ request_id: `svc_${echo.repeat(500)}` }),
	}),
	'a request ID of an error': (echo) => ({ status: 400, body: envelope({ request_id: echo }) }),
	'a code that is none': (echo) => ({ body: { ok: false, code: echo, message: echo } }),
	'data of a refusal': (echo) => ({ body: envelope({ data: { [echo]: echo } }) }),
	'a page': (echo) => ({ status: 403, body: `<html>${echo}` }),
	'something else': (echo) => ({ body: `${echo} is wrong` }),
	'a path of a redirect': redirect((echo) => `http://127.0.0.1/${echo}/x`),
	'a relative path of a redirect': redirect((echo) => `/x/${echo}`),
	'a redirect alone': redirect((echo) => echo),
	'a query of a redirect': redirect((echo) => `/login?next=${echo}`),
	'a fragment of a redirect': redirect((echo) => `/login#${echo}`),
	'user info of a redirect': redirect((echo) => `http://${encodeURIComponent(echo)}:x@127.0.0.1/`),
	'a host of a redirect': redirect((echo) => `http://${echo}/`),
	'a very long redirect': redirect((echo) => `/${'x'.repeat(190)}${echo.repeat(100)}`),
	headers: (echo) => ({
		status: 503,
		headers: {
			'retry-after': ascii(echo),
			'content-type': `text/${ascii(echo)}`,
			'set-cookie': `x=${ascii(echo)}`,
			'content-disposition': `inline; filename="${ascii(echo)}"`,
			etag: ascii(echo),
		},
		body: envelope({}),
	}),
	'a reason': (echo) => ({ status: 418, reason: ascii(echo), body: 'x' }),
};
/** Of failures to get at a file. */
const OF_DOWNLOADS: Record<string, Answer> = {
	'keys of data': (echo) => ({ body: done({ [echo]: 1, [`a ${echo}`]: { [echo]: 2 } }) }),
	'many keys of data': (echo) => ({
		body: done(Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`${echo}${i}`, i]))),
	}),
	'keys on the way to several files': (echo) => ({
		body: done({ [echo]: { [echo]: 'http://127.0.0.1/1' }, b: 'http://127.0.0.1/2' }),
	}),
	'the request ID of no file': (echo) => ({ body: done({}, { request_id: echo }) }),
	'a name of a file': (echo, own) => ({
		body: done({ url: `${own.url}/file?status=404&name=${encodeURIComponent(echo)}` }),
	}),
	'a host of a link': (echo) => ({
		body: done({ url: `http://${encodeURIComponent(echo)}.invalid/` }),
	}),
	'a link that is refused': (echo, own) => ({
		body: done(
			{
				url: `${own.url}/file/${encodeURIComponent(echo)}?status=403&sig=${SIGNATURE}&e=${encodeURIComponent(echo)}`,
			},
			{ request_id: echo },
		),
	}),
	'a link to a message': (echo, own) => ({
		body: done({
			url: `${own.url}/file?body=${encodeURIComponent(JSON.stringify(envelope({ message: `${echo} ${SIGNATURE}` })))}&sig=${SIGNATURE}`,
		}),
	}),
	'a link to nowhere': (echo) => ({
		body: done({ url: `http://127.0.0.1:1/${encodeURIComponent(echo)}` }),
	}),
	'a link that redirects': (echo, own) => ({
		body: done({ url: `${own.url}/file?status=302&to=${encodeURIComponent(`ftp://x/${echo}`)}` }),
	}),
};

const own = useOwnServer();
let logged: string[];
let answer: Answer;
let echo: string;
beforeEach(() => {
	logged = [];
	const log = (...entry: unknown[]) => void logged.push(JSON.stringify(entry));
	LoggerProxy.init({ debug: log, info: log, warn: log, error: log });
	own.credential.apiKey = API_KEY;
	own.answer = (_, response, { url = '' }) => {
		const { searchParams, pathname } = new URL(url, own.url);
		if (pathname.startsWith('/file')) {
			const [status, to] = [Number(searchParams.get('status') ?? 200), searchParams.get('to')];
			const headers = {
				'content-type': 'application/json',
				...(to && { location: encodeURI(to) }),
			};
			response.writeHead(status, headers).end(searchParams.get('body') ?? 'gone');
			return;
		}
		const { status = 200, headers = {}, reason, body = '' } = answer(echo, own);
		if (reason) response.statusMessage = reason;
		response.writeHead(status, { 'content-type': 'application/json', ...headers });
		response.end(typeof body === 'string' ? body : JSON.stringify(body));
	};
});

const SETTINGS: NodeSettings[] = [
	{},
	{ onError: 'continueRegularOutput', retryOnFail: true, maxTries: 2, waitBetweenTries: 1 },
	{ onError: 'continueErrorOutput' },
];
const options = { maxTries: 1, timeout: 10_000 };
const coverUrl = `https://example.com/?sig=${SIGNATURE}`;
const video = { ...VIDEO, encodeData: ENCODE_DATA, coverUrl };
const file = {
	fileAeskey: AES_KEY,
	fileAuthkey: AUTH_KEY,
	fileSize: 1,
	fileType: 5,
	fileUrl: coverUrl,
};
/** Their values stand in the parameters, as n8n itself puts the input item into an error output. */
const OPERATIONS: Array<[string, object, string[], Record<string, Answer>]> = [
	[
		'send',
		{ ...SEND, toId: 'customer', feedVideo: JSON.stringify(video), options },
		[API_KEY, ENCODE_DATA, SIGNATURE],
		ANYWHERE,
	],
	[
		'download',
		{ ...DOWNLOAD, file: JSON.stringify(file), options },
		[API_KEY, AES_KEY, AUTH_KEY, SIGNATURE],
		{ ...ANYWHERE, ...OF_DOWNLOADS },
	],
];

/** The first secret that a text tells, in whatever encoding, whole or but for its end. */
function told(text: string, secrets: string[]): string | undefined {
	for (const secret of secrets) {
		for (const [name, encode] of Object.entries(ENCODERS)) {
			// The text is JSON, so that one more escape may be around it.
			for (const form of [encode(secret), json(encode(secret))]) {
				const known = form.slice(0, 24);
				if (text.includes(form) || text.includes(known)) return `${name}: ${known}`;
			}
		}
	}
	return undefined;
}

const WAYS = sampleOf(
	Object.entries(ENCODERS).flatMap(([encoding, encode]) =>
		SETTINGS.map((settings) => ({ encoding, encode, settings })),
	),
	4,
);

describe.each(OPERATIONS)('%s', (_, parameters, secrets, answers) => {
	test.each(Object.keys(answers))('no secret in %s is told', async (place) => {
		answer = answers[place]!;
		for (const { encoding, encode, settings } of WAYS) {
			echo = secrets.map(encode).join(' ');
			if (place.includes('alone')) echo = secrets.map(encode).join('');
			const run = await own.engine.run(workflowOf([{}], { ...parameters }, settings));
			const { error, items, errorItems } = resultOf(run);
			const failed = [...items, ...errorItems].map(({ json: { error: failure } }) => failure);
			expect([error, ...failed].filter(Boolean)).toHaveLength(1);

			const { Workchat: ran, ...others } = run.data.resultData.runData;
			expect(JSON.stringify(others)).not.toContain(json(API_KEY));
			const saved = [ran, error, error?.stack, run.data.executionData?.contextData, logged];
			const texts = JSON.stringify(saved);
			expect({ encoding, told: told(texts, secrets) }).toEqual({ encoding, told: undefined });

			const [failure] = [error, ...failed].filter(Boolean) as Array<Record<string, string>>;
			expect(failure?.message?.length).toBeLessThan(1300);
			expect(failure?.description?.length).toBeLessThan(1300);
			expect(JSON.stringify(failure).length).toBeLessThan(20_000);
		}
	});
});

test.each(Object.keys(ANYWHERE))(
	'no secret in %s is told by the test of the credential',
	async (place) => {
		answer = ANYWHERE[place]!;
		const { testConnection } = new Workchat().methods.credentialTest;
		for (const [encoding, encode] of Object.entries(ENCODERS)) {
			echo = encode(API_KEY);
			const { message } = await testConnection.call(new CredentialTestContext(), {
				id: '1',
				name: 'x',
				type: 'workchatApi',
				data: own.credential,
			});
			expect({ encoding, told: told(JSON.stringify([message, logged]), [API_KEY]) }).toEqual({
				encoding,
				told: undefined,
			});
			expect(message.length).toBeLessThan(1500);
		}
	},
);
