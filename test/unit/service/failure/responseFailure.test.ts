import { Failure } from '../../../../nodes/Workchat/service/failure/failure';
import { Secrets } from '../../../../nodes/Workchat/service/failure/secrets';
import { responseFailure } from '../../../../nodes/Workchat/service/response/responseFailure';
import { wording } from '../../../support/wording';

test('any other refusal is told by its status', () => {
	const failure = responseFailure({ status: 451, headers: {} }, {}, wording);
	expect(failure).toMatchObject({ outcome: 'rejected', transient: false });
	expect(failure.message).toBe('The service refused (HTTP 451)');
});

test.each([307, 408, 500, 504])(
	'HTTP %d without an envelope may pass, unless it redirects',
	(status) => {
		const failure = responseFailure({ status, headers: {} }, {}, wording);
		expect(failure).toMatchObject({ outcome: 'unknown', transient: status !== 307 });
	},
);

test('a request_id that is a number is told too', () => {
	const envelope = { code: 7, request_id: 12 } as never;
	const failure = responseFailure({ status: 400, headers: {} }, { envelope }, wording);
	expect(failure.message).toMatch(/request ID 12\)/);
});

test.each([{ toString: 1 }, ['svc_x'], true, null, ''])('a request_id %j is none', (request_id) => {
	const envelope = { code: 7, request_id } as never;
	const failure = responseFailure({ status: 400, headers: {} }, { envelope }, wording);
	expect(failure.message).toMatch(/\(code 7, HTTP 400\)$/);
	const of = { ...wording, requestId: 'svc_a' };
	const traced = responseFailure({ status: 400, headers: {} }, { envelope }, of);
	expect(traced.message).toMatch(/request ID svc_a\)$/);
});

test('what the service says is told without end nor secret', () => {
	const words = 'x '.repeat(1e5);
	const envelope = { code: 7, request_id: `svc_fake-key-${words}`, message: `fake-key ${words}` };
	const of = { ...wording, secrets: new Secrets(() => ['fake-key']) };
	const { message } = responseFailure({ status: 400, headers: {} }, { envelope }, of);
	expect(message).toMatch(/request: \*\*\* x.*request ID svc_\*\*\*-x[x ]+…\)$/);
	expect(message.length).toBeLessThan(900);
});

test('nothing of a failure tells a secret, nor is it without end', () => {
	const secrets = new Secrets(() => ['fake-key']);
	const advice = 'Check fake-key.';
	const options = { outcome: 'unknown', origin: 'n8n', advice, secrets } as const;
	const expected = { message: 'no ***', happened: 'no ***', advice: 'Check ***.' };
	expect(new Failure('no fake-key', options)).toMatchObject(expected);
	expect(new Failure('x'.repeat(1e5), options).message).toHaveLength(1501);
});

test.each([
	[302, '/login?token=secret-token', 'redirects to /login,'],
	[301, 'login/now', 'redirects to login/now,'],
	[307, '../up', 'redirects to ../up,'],
	[308, '//other.example.com/x', 'redirects to //other.example.com/x,'],
	[303, 'https://example.com/login', 'redirects to https://example.com/login,'],
	[302, undefined, 'gave neither an answer nor a new address (HTTP 302)'],
	[304, '/elsewhere', 'gave neither an answer nor a new address (HTTP 304)'],
	[399, undefined, 'gave neither an answer nor a new address (HTTP 399)'],
])('HTTP %d with Location %s is not followed: the service %s', (status, location, words) => {
	const { message, outcome } = responseFailure({ status, headers: { location } }, {}, wording);
	expect(message).toContain(`The service ${words}`);
	expect({ outcome, isSecretKept: !message.includes('secret-token') }).toEqual({
		outcome: 'unknown',
		isSecretKept: true,
	});
});
