import { createServer, type AddressInfo } from 'node:net';
import type { ServerResponse } from 'node:http';

import type { INodeExecutionData, IRun } from 'n8n-workflow';

import { json, text, useOwnServer } from './ownServer';
import {
	DOWNLOAD,
	recipients,
	resultOf,
	SEND,
	VIDEO,
	workflowOf,
	type NodeSettings,
} from './setup';
import { sampleOf } from './thorough';

const own = useOwnServer();
const CONTINUE: NodeSettings = { onError: 'continueRegularOutput' };
const RETRYING: NodeSettings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };

interface ErrorJson {
	message: string;
	description: string;
	outcome: string;
	[fact: string]: unknown;
}
const errorOf = (item: INodeExecutionData | undefined) => item?.json.error as unknown as ErrorJson;
/** The error of the first item of a run that goes on. */
const firstError = (run: IRun) => errorOf(resultOf(run).items[0]);

describe('what a status and a body prove', () => {
	const BODIES: Record<string, string> = {
		'no body': '',
		'a web page': '<!doctype html><title>Sorry</title>',
		'half an envelope': '{"ok":false,"code":7',
		'a code that is text': '{"ok":false,"code":"7"}',
		'a code in a list': '[{"ok":false,"code":7}]',
		'a refusal': '{"ok":false,"code":7,"message":"no","request_id":"svc_1"}',
		'a refusal of nothing but a code': '{"code":-1}',
		'a success': '{"ok":true,"code":0,"request_id":"svc_1"}',
		'code 0, but not ok': '{"ok":false,"code":0}',
		'ok, but another code': '{"ok":true,"code":7,"request_id":"svc_1"}',
	};
	const isRefusal = (name: string) => name.startsWith('a refusal');
	const isRefuted = (name: string) => name === 'a success' || /, but /.test(name);

	function expected(status: number, name: string): string {
		if (status === 429) return 'rejected';
		if (status < 300)
			return isRefusal(name) ? 'rejected' : name === 'a success' ? 'sent' : 'unknown';
		if (status < 400 || isRefuted(name)) return 'unknown';
		if (status === 408 || status === 503) return isRefusal(name) ? 'rejected' : 'unknown';
		return status < 500 ? 'rejected' : 'unknown';
	}

	const STATUSES = [
		200, 201, 299, 300, 304, 307, 400, 401, 404, 408, 409, 425, 429, 499, 500, 501, 502, 503, 504,
		520, 599,
	];
	const CASES = STATUSES.flatMap((status) =>
		Object.keys(BODIES).map((name) => ({ status, name, outcome: expected(status, name) })),
	);

	test.each(CASES)('HTTP $status with $name: $outcome', async ({ status, name, outcome }) => {
		own.answer = (_, response) => {
			response.writeHead(status, { 'retry-after': '0', connection: 'close' }).end(BODIES[name]);
		};
		const parameters = { ...SEND, options: { maxTries: 2 } };
		const run = await own.engine.run(
			workflowOf(recipients(1), parameters, { ...CONTINUE, ...RETRYING }),
		);
		const [item] = resultOf(run).items;
		expect(item?.json.error ? errorOf(item).outcome : 'sent').toBe(outcome);
		// What may have been done is not repeated, neither by the node nor by n8n.
		const isBusy = status === 429 || status === 503;
		const tries = outcome === 'rejected' ? (isBusy ? 2 : 1) * 3 : 1;
		expect(own.requests).toHaveLength(tries);
	});
});

describe('a body that breaks off', () => {
	const says = (status: number) => {
		if (status === 408 || status >= 500 || status < 400) return 'unknown';
		return 'rejected';
	};
	test.each(
		[200, 302, 400, 401, 404, 408, 422, 429, 500, 503].flatMap((status) =>
			['', '{"ok":false,"code":7,"mess'].map((body) => ({ status, body, outcome: says(status) })),
		),
	)('after HTTP $status and "$body": $outcome', async ({ status, body, outcome }) => {
		own.answer = (_, response) => {
			response.writeHead(status, { 'content-length': '1000', 'retry-after': '0' });
			response.write(body || ' ', () => response.destroy());
		};
		const parameters = { ...SEND, options: { maxTries: 2 } };
		const run = await own.engine.run(workflowOf(recipients(1), parameters, CONTINUE));
		expect(firstError(run)).toMatchObject({ outcome });
		expect(own.requests).toHaveLength(status === 429 ? 2 : 1);
	});
});

/** How a try can end. */
const TRIES: Record<string, (response: ServerResponse) => void> = {
	lost: (response) => void response.socket?.destroy(),
	broken: (response) => json(response, { ok: false, code: 5, message: 'it broke' }, 500),
	refused: (response) => json(response, { ok: false, code: 9, message: 'it said no' }),
	busy: (response) => {
		response.setHeader('retry-after', '0');
		json(response, { ok: false, code: 4, message: 'it is busy' }, 503);
	},
	sent: (response) => json(response, { ok: true, code: 0 }),
};
const SAYS: Record<string, RegExp> = {
	lost: /closed the connection/,
	broken: /it broke/,
	refused: /it said no/,
	busy: /it is busy/,
};
const isUnknown = (name: string) => name === 'lost' || name === 'broken';
const inTurn = (names: string[]) => {
	const left = [...names];
	own.answer = (_, response) => TRIES[left.shift() ?? 'refused']?.(response);
};
const ENDS = Object.keys(TRIES).filter((name) => name !== 'sent');
const CHAINS = ENDS.flatMap((a) => ENDS.flatMap((b) => ENDS.map((c) => [a, b, c])));
const RESEND = { ...SEND, options: { resendUnknown: true, maxTries: 1 } };

/** What is to be said after these tries. */
function expectTruth({ message, outcome, description }: ErrorJson, tries: string[]) {
	const last = tries.at(-1) ?? '';
	expect(message).toMatch(SAYS[last] as RegExp);
	const lastUnknown = tries.filter(isUnknown).at(-1);
	expect(outcome).toBe(lastUnknown ? 'unknown' : 'rejected');
	expect(message.match(/Tried again/g)?.length ?? 0).toBe(lastUnknown && !isUnknown(last) ? 1 : 0);
	if (!lastUnknown) return;
	expect(message).toMatch(SAYS[lastUnknown] as RegExp);
	expect(description).toMatch(/may or may not have been sent/);
	// Each of these tries did send.
	expect(description).not.toMatch(/did not send it again/);
}
const thrown = (run: IRun): ErrorJson => {
	const { error } = resultOf(run);
	const { errorResponse } = error as unknown as { errorResponse?: { outcome: string } };
	return {
		message: error?.message ?? '',
		description: error?.description ?? '',
		outcome: errorResponse?.outcome ?? '',
	};
};

describe('with Resend if Unknown', () => {
	test.each([
		['lost', 'refused', ''],
		['lost', 'busy', 'refused'],
		['busy', 'lost', 'refused'],
		['busy', 'broken', 'busy'],
		['broken', 'busy', 'lost'],
		['lost', 'lost', 'refused'],
	])(
		'%s, %s, %s inside an item',
		async (...tries) => {
			inTurn(tries);
			const parameters = { ...SEND, options: { resendUnknown: true, maxTries: 3 } };
			const run = await own.engine.run(workflowOf(recipients(1), parameters, CONTINUE));
			// A refusal ends the tries.
			const made = tries.slice(0, tries.indexOf('refused') + 1 || 3);
			expect(own.requests).toHaveLength(made.length);
			expectTruth(firstError(run), made);
		},
		20_000,
	);

	test.each(CHAINS)('%s, %s, %s with Retry On Fail', async (...tries) => {
		inTurn(tries);
		const run = await own.engine.run(workflowOf(recipients(1), RESEND, { ...RETRYING }));
		expect(own.requests).toHaveLength(3);
		expectTruth(thrown(run), tries);
	});

	test.each(CHAINS)('%s, %s, %s with Retries from the list', async (...tries) => {
		inTurn(tries);
		const workflow = workflowOf(recipients(1), RESEND);
		let run = await own.engine.run(workflow);
		for (const made of [2, 3]) {
			run = await own.engine.retry(workflow, run);
			expectTruth(thrown(run), tries.slice(0, made));
		}
	});

	test('the message stays short over 5 tries of each of 4 Retries', async () => {
		inTurn(['lost']);
		const workflow = workflowOf(recipients(1), RESEND, { ...RETRYING, maxTries: 5 });
		let run = await own.engine.run(workflow);
		for (let retries = 0; retries < 4; retries++) run = await own.engine.retry(workflow, run);
		expect(own.requests).toHaveLength(25);
		const { message, outcome } = thrown(run);
		expect(outcome).toBe('unknown');
		expect(message).toMatch(
			/^The Workchat service closed the connection .*\. Tried again: The Workchat service refused: it said no \(code 9\)$/,
		);
	});

	test.each(ENDS.filter(isUnknown))(
		'%s, then sent: a success, and nothing more is sent',
		async (first) => {
			inTurn([first, 'sent']);
			const workflow = workflowOf(recipients(1), RESEND);
			const run = await own.engine.retry(workflow, await own.engine.run(workflow));
			expect(run.status).toBe('success');
			expect(resultOf(run).items[0]?.json).toEqual({ ok: true, code: 0 });
			expect(own.requests).toHaveLength(2);
		},
	);

	test('lost, then not reached: still unknown', async () => {
		inTurn(['lost']);
		const workflow = workflowOf(recipients(1), RESEND);
		const failed = await own.engine.run(workflow);
		own.credential.baseUrl = `http://127.0.0.1:${await closedPort()}`;
		const error = thrown(await own.engine.retry(workflow, failed));
		expect(error.outcome).toBe('unknown');
		expect(error.message).toMatch(/closed the connection.*Tried again: .*could not be reached/);
	});

	test('lost, then refused, then left at that: still unknown, and says it all', async () => {
		inTurn(['lost', 'refused']);
		const failed = await own.engine.run(workflowOf(recipients(1), RESEND));
		const again = await own.engine.retry(workflowOf(recipients(1), RESEND), failed);
		const without = workflowOf(recipients(1), { ...SEND, options: { maxTries: 1 } });
		const error = thrown(await own.engine.retry(without, again));
		expect(error).toMatchObject({ outcome: 'unknown' });
		expect(error.message).toMatch(/closed the connection.*Tried again: .*it said no/);
		expect(error.description).toMatch(/^This try did not send it again\. /);
		expect(own.requests).toHaveLength(2);
	});

	test('a key that is wrong by now leaves an unknown item unknown', async () => {
		inTurn(['lost']);
		const workflow = workflowOf(recipients(1), RESEND);
		const failed = await own.engine.run(workflow);
		own.credential.apiKey = '';
		expect(thrown(await own.engine.retry(workflow, failed))).toMatchObject({
			outcome: 'unknown',
			message: expect.stringMatching(/Tried again: .*no API key/) as string,
		});
	});
});

async function closedPort(): Promise<number> {
	const server = createServer().listen(0, '127.0.0.1');
	await new Promise((resolve) => server.once('listening', resolve));
	const { port } = server.address() as AddressInfo;
	await new Promise((resolve) => server.close(resolve));
	return port;
}

/** JSON of every type, and what trips over itself. */
const VALUES = [
	'null',
	'true',
	'false',
	'0',
	'-0',
	'1',
	'1e999',
	'""',
	'"text"',
	'[]',
	'[1]',
	'{}',
	'{"message":null}',
	'{"message":"x","stack":1}',
	'{"toString":1}',
	'{"toString":null,"valueOf":null}',
	'{"constructor":null}',
	'{"__proto__":null}',
	'{"toJSON":1}',
	'{"length":9}',
	'{"then":1}',
	'"\\ud800"',
	'"\\u0000"',
	`${'['.repeat(2000)}${']'.repeat(2000)}`,
];
const KEYS = [
	'$error',
	'$json',
	'error',
	'message',
	'json',
	'binary',
	'pairedItem',
	'__proto__',
	'constructor',
	'prototype',
	'toString',
	'valueOf',
	'toJSON',
	'hasOwnProperty',
	'then',
	'data',
	'request_id',
	'executionStatus',
	'',
	'0',
	'\\ud800',
];

/** An item has passed n8n if the node behind ours got it. */
const arrived = (run: IRun) => run.data.resultData.runData.After?.[0]?.data?.main?.[0]?.length;

describe('a success stays a success, whatever stands in its envelope', () => {
	const MORE: string[] = [
		...VALUES.map((value) => `"$error":${value},"$json":{}`),
		...VALUES.map((value) => `"$error":{"message":"x"},"$json":${value}`),
		...KEYS.flatMap((key) => ['null', '{"toString":1}', '"x"'].map((value) => `"${key}":${value}`)),
		...VALUES.map((value) => `"request_id":${value}`),
		...VALUES.map((value) => `"message":${value}`),
		...VALUES.map((value) => `"data":${value}`),
	];
	const shapes: Record<string, (more: string) => string> = {
		'at the top': (more) => `{"ok":true,"code":0,${more}}`,
		'in data': (more) => `{"ok":true,"code":0,"data":{${more}}}`,
	};

	describe.each(Object.entries(shapes))('%s', (_, envelope) => {
		test.each([
			['', false, 'stopWorkflow'],
			[', with Simplify', true, 'stopWorkflow'],
			[', with the error output', false, 'continueErrorOutput'],
			[', with Simplify and the error output', true, 'continueErrorOutput'],
		] as const)(
			'any value of any key%s',
			async (_name, simplify, onError) => {
				for (const more of sampleOf(MORE, 5)) {
					own.requests.length = 0;
					own.answer = (_request, response) => text(response, envelope(more));
					const settings = { onError, ...RETRYING };
					const run = await own.engine.run(
						workflowOf(recipients(2), { ...SEND, simplify }, settings),
					);
					const seen = {
						more,
						status: run.status,
						sent: own.requests.length,
						arrived: arrived(run),
					};
					expect(seen).toEqual({ more, status: 'success', sent: 2, arrived: 2 });
				}
			},
			120_000,
		);
	});
});

describe('a download stays one, whatever stands in its envelope', () => {
	const FILE = {
		fileAeskey: 'fake-aes-key',
		fileAuthkey: 'fake-auth-key',
		fileSize: 700,
		fileType: 5,
		fileUrl: 'https://example.com/file',
	};
	const content = JSON.stringify(Buffer.alloc(700, 'some text ').toString('base64'));
	const MORE = [
		...VALUES.map((value) => `"$error":${value},"$json":{}`),
		...KEYS.filter((key) => key !== 'data').map((key) => `"${key}":{"toString":1}`),
	];

	test.each([
		['binary', false],
		['binary', true],
		['envelope', false],
		['envelope', true],
	])(
		'Output %s, Simplify %s',
		async (output, simplify) => {
			for (const more of sampleOf(MORE, 5)) {
				for (const envelope of [
					`{"ok":true,"code":0,${more},"data":{"content":${content}}}`,
					`{"ok":true,"code":0,"data":{${more},"content":${content}}}`,
				]) {
					own.answer = (_, response) => text(response, envelope);
					const run = await own.engine.run(workflowOf([FILE], { ...DOWNLOAD, output, simplify }));
					const seen = { more, status: run.status, arrived: arrived(run) };
					expect(seen).toEqual({ more, status: 'success', arrived: 1 });
				}
			}
		},
		60_000,
	);
});

describe('a refusal stays a refusal, whatever stands in its envelope', () => {
	const MORE = [
		...['message', 'request_id', 'data', 'ok', '$error', '__proto__', 'toString'].flatMap((key) =>
			VALUES.map((value) => `"${key}":${value}`),
		),
		'"$error":null,"$json":{}',
	];

	test.each(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const)(
		'with %s',
		async (onError) => {
			for (const more of sampleOf(MORE, 5)) {
				own.answer = (_, response) => text(response, `{"ok":false,"code":7,${more}}`);
				const run = await own.engine.run(workflowOf(recipients(1), SEND, { onError }));
				const { items, errorItems } = resultOf(run);
				const error =
					onError === 'stopWorkflow' ? thrown(run) : errorOf([...items, ...errorItems][0]);
				// That contradicts itself.
				const isOk = more === '"ok":true';
				const outcome = isOk ? 'unknown' : 'rejected';
				expect({ more, ...error }).toMatchObject({ more, outcome });
				if (!isOk) expect(error.message).toMatch(/^The Workchat service refused.* \(code 7/s);
			}
		},
		120_000,
	);

	test.each(Object.keys({ ...VIDEO, toId: '' }))(
		'and half a character in %s is no hindrance',
		async (field) => {
			const value = field.endsWith('Url')
				? 'https://example.com/\ud800?x=\udc00\ud800'
				: 'half \ud800 of \udc00';
			const content = { ...VIDEO, [field]: value };
			const { toId = 'customer', ...video } = content as Record<string, string>;
			own.answer = ({ body }, response) =>
				json(response, { ok: false, code: 7, message: `no: ${JSON.stringify(body)} ${value}` });
			const parameters = { ...SEND, toId, feedVideo: JSON.stringify(video) };
			const error = firstError(await own.engine.run(workflowOf([{}], parameters, CONTINUE)));
			expect(error.outcome).toBe('rejected');
			expect(own.requests[0]?.body[field]).toBe(value);
			expect(error.message).not.toContain(VIDEO.encodeData);

			own.answer = (_, response) => json(response, { ok: true, code: 0 });
			const run = await own.engine.run(workflowOf([{}], parameters));
			expect(run.status).toBe('success');
		},
	);
});

test.each(['stopWorkflow', 'continueRegularOutput'] as const)(
	'values that trip over themselves are wrong input, with %s',
	async (onError) => {
		for (const value of VALUES.filter((text) => text.startsWith('{'))) {
			const feedVideo = JSON.stringify(VIDEO).replace(`"${VIDEO.feedId}"`, value);
			const run = await own.engine.run(
				workflowOf(recipients(1), { ...SEND, feedVideo }, { onError }),
			);
			const message = onError === 'stopWorkflow' ? thrown(run).message : firstError(run).message;
			expect(message).toBe('feedId is an object, but has to be text');
		}
		expect(own.requests).toHaveLength(0);
	},
);
