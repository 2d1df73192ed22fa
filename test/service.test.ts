import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';

import { NodeApiError, type INode } from 'n8n-workflow';

import { jsonOf } from '../nodes/Workchat/operations/simplify';
import { Body } from '../nodes/Workchat/service/body';
import { openResponse } from '../nodes/Workchat/service/http';
import { networkFailure } from '../nodes/Workchat/service/networkFailure';
import { redact, secretsOfLink } from '../nodes/Workchat/service/redact';
import type { RequestContext } from '../nodes/Workchat/service/requestContext';
import { responseFailure } from '../nodes/Workchat/service/responseFailure';
import { retryAfter } from '../nodes/Workchat/service/retryAfter';

const context: RequestContext = {
	receiver: 'The service',
	isRepeatable: false,
	secrets: () => [],
};

describe('Retry-After', () => {
	test.each([
		['seconds', '120', 120_000],
		['a date that is past', new Date(0).toUTCString(), 0],
		['nothing', undefined, undefined],
		['nonsense', 'soon', undefined],
	])('as %s', (_, header, milliseconds) => expect(retryAfter(header)).toBe(milliseconds));

	test('as a date to come', () => {
		const milliseconds = retryAfter(new Date(Date.now() + 10_000).toUTCString());
		expect(milliseconds).toBeGreaterThan(8000);
		expect(milliseconds).toBeLessThanOrEqual(10_000);
	});
});

test.each<[string, object, string, boolean]>([
	['CERT_HAS_EXPIRED', {}, 'notSent', false],
	['DEPTH_ZERO_SELF_SIGNED_CERT', {}, 'notSent', false],
	['ERR_TLS_CERT_ALTNAME_INVALID', {}, 'notSent', false],
	['EHOSTUNREACH', { syscall: 'connect' }, 'notSent', true],
	['EHOSTUNREACH', { syscall: 'read' }, 'unknown', true],
	['EAI_AGAIN', { syscall: 'getaddrinfo' }, 'notSent', true],
	['EAI_AGAIN', {}, 'unknown', true],
	['ETIMEDOUT', { syscall: 'connect' }, 'notSent', true],
	['ETIMEDOUT', {}, 'unknown', true],
	['ECONNABORTED', {}, 'unknown', true],
	['ECONNRESET', {}, 'unknown', true],
	[
		'ECONNRESET',
		{ message: 'Client network socket disconnected before secure TLS connection was established' },
		'notSent',
		true,
	],
	['EPIPE', {}, 'unknown', true],
	['ERR_CANCELED', {}, 'unknown', true],
	['EWHATEVER', {}, 'unknown', true],
])('%s %j is %s', (code, more, outcome, transient) => {
	const direct = { code, ...more };
	const wrapped = { name: 'NodeApiError', cause: { name: 'AxiosError', cause: direct } };
	const together = { cause: { name: 'AggregateError', errors: [direct] } };
	for (const error of [direct, wrapped, together]) {
		expect(networkFailure(error, context)).toMatchObject({ outcome, transient });
	}
});

test.each([
	['ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:1', 'notSent', /could not be reached$/],
	['ETIMEDOUT', 'connect ETIMEDOUT 192.0.2.1:443', 'notSent', /could not be reached$/],
	['ETIMEDOUT', 'read ETIMEDOUT', 'unknown', /did not answer in time$/],
	['ECONNRESET', 'socket hang up', 'unknown', /closed the connection/],
	['200', 'stream has been aborted', 'unknown', /closed the connection/],
])(
	'%s (%s) of an error whose cause is lost, as in n8n 1, is %s',
	(code, message, outcome, says) => {
		const error = new NodeApiError(
			{} as INode,
			Object.assign(new Error(message), { code }) as never,
		);
		Object.defineProperty(error, 'cause', { value: undefined });
		const failure = networkFailure(error, context);
		expect(failure).toMatchObject({ outcome, transient: true });
		expect(failure.message).toMatch(says);
	},
);

test('an address that n8n forbids was not called', () => {
	const failure = networkFailure({ cause: { name: 'SsrfBlockedIpError' } }, context);
	expect(failure).toMatchObject({ outcome: 'notSent', transient: false });
	expect(failure.message).toMatch(/does not allow/);
});

test.each([
	['loses secrets, the longer first', 'a secret-long and secret', 'a *** and ***'],
	['loses encoded secrets', 'a with%2Fslash', 'a ***'],
	['loses query strings', 'see https://example.com/a?b=c', 'see https://example.com/a?***'],
	['loses passwords of links', 'at http://me:pass@example.com/a', 'at http://***@example.com/a'],
	['keeps what is too short to be secret', 'an abc', 'an abc'],
	['becomes one line', 'a\n\t b\u0000c', 'a b c'],
	['is cut off', 'x'.repeat(900), `${'x'.repeat(500)}…`],
])('foreign text %s', (_, text, safe) => {
	expect(redact(text, ['secret', 'secret-long', 'with/slash', 'abc'])).toBe(safe);
});

test('the secrets of a link are its query, the longer values in it, and its password', () => {
	expect(
		secretsOfLink('https://me:password1@example.com/a?size=large&sig=abcd1234%2Fefgh'),
	).toEqual(['size=large&sig=abcd1234%2Fefgh', 'abcd1234/efgh', 'password1']);
	expect(secretsOfLink('https://example.com/a')).toEqual(['']);
	expect(secretsOfLink('no link')).toEqual([]);
});

test('a request_id that is a number is told too', () => {
	const envelope = { code: 7, request_id: 12 } as never;
	const failure = responseFailure({ status: 400, headers: {} }, { envelope }, context);
	expect(failure.message).toMatch(/request ID 12\)/);
});

test.each([{ toString: 1 }, ['svc_x'], true, null, ''])('a request_id %j is none', (request_id) => {
	const envelope = { code: 7, request_id } as never;
	const failure = responseFailure({ status: 400, headers: {} }, { envelope }, context);
	expect(failure.message).toMatch(/\(code 7, HTTP 400\)$/);
	const of = { ...context, requestId: 'svc_a' };
	const traced = responseFailure({ status: 400, headers: {} }, { envelope }, of);
	expect(traced.message).toMatch(/request ID svc_a\)$/);
});

test('a request_id is told without end nor secret', () => {
	const envelope = { code: 7, request_id: `svc_fake-key-${'x'.repeat(1e6)}` } as never;
	const of = { ...context, secrets: () => ['fake-key'] };
	const { message } = responseFailure({ status: 400, headers: {} }, { envelope }, of);
	expect(message).toMatch(/request ID svc_\*\*\*-x+…\)$/);
	expect(message.length).toBeLessThan(600);
});

describe('Simplify', () => {
	const envelope = (data: unknown) => ({ ok: true, code: 0, data }) as never;
	test.each([
		[{ a: 1 }, { a: 1 }],
		[[1, 2], { data: [1, 2] }],
		['text', { data: 'text' }],
		[0, { data: 0 }],
		[null, {}],
		[undefined, {}],
		[{ error: 'none' }, { data: { error: 'none' } }],
	])('of data %j', (data, json) => expect(jsonOf(envelope(data), true)).toEqual(json));
});

test('a consumer may take longer than the timeout', async () => {
	const parts = Array.from({ length: 4 }, () => Buffer.alloc(100_000));
	const body = Readable.from(parts);
	const response = await openResponse(
		async () => ({ statusCode: 200, headers: {}, body }),
		{ timeout: 300 },
		context,
	);
	let bytes = 0;
	for await (const part of (await Body.of(response)).parts()) {
		await wait(400);
		bytes += part.length;
	}
	expect(bytes).toBe(400_000);
});
