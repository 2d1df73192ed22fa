import { Failure, type Wording } from '../../../../nodes/Workchat/service/failure/failure';
import { responseFailure } from '../../../../nodes/Workchat/service/failure/responseFailure';
import type { Envelope } from '../../../../nodes/Workchat/service/envelope';
import type { Reply } from '../../../../nodes/Workchat/service/http/http';
import { wording } from '../../../support/wording';

const failed = (
	status: number,
	{ body = '', headers = {}, of = wording }: { body?: string; headers?: object; of?: Wording } = {},
) => {
	let json: Envelope | undefined;
	try {
		json = JSON.parse(body) as Envelope;
	} catch {
		// It is no JSON.
	}
	const envelope = Number.isInteger(json?.code) ? json : undefined;
	const reply = { status, headers } as unknown as Reply;
	return responseFailure(reply, { content: Buffer.from(body), json, envelope }, of);
};
const refusal = (more: object) => JSON.stringify({ ok: false, code: 7, ...more });

test('any other refusal is told by its status', () => {
	const failure = failed(451, { body: 'no' });
	expect(failure).toMatchObject({ outcome: 'rejected', transient: false });
	expect(failure.message).toBe('The service refused (HTTP 451)');
});

test.each([307, 408, 500, 504])(
	'HTTP %d without an envelope may pass, unless it redirects',
	(status) => {
		expect(failed(status)).toMatchObject({ outcome: 'unknown', transient: status !== 307 });
	},
);

test.each([400, 401, 402, 403, 405, 407, 413, 451])(
	'a web page with HTTP %d does not come from the service, unlike words of it',
	(status) => {
		const page = failed(status, { body: '<!doctype html><title>Proxy</title>' });
		expect(page.message).toBe(
			`The service did not answer itself: a web page came instead (HTTP ${status})`,
		);
		expect(page.advice).toMatch(/Base URL .*https:\/\/ and http:\/\/.* proxy or a firewall/);
		expect(page.outcome).toBe('rejected');
		for (const body of [refusal({}), 'no', ''])
			expect(failed(status, { body }).message).not.toMatch(/page/);
	},
);

test.each([404, 429, 500, 503])('a page with HTTP %d says what its status says', (status) => {
	expect(failed(status, { body: '<html>' }).message).toBe(failed(status, { body: 'x' }).message);
});

test.each([{ toString: 1 }, ['svc_x'], true, null, '', 1.5])('a request_id %j is none', (id) => {
	const body = refusal({ request_id: id });
	expect(failed(400, { body }).message).toMatch(/\(code 7, HTTP 400\)$/);
	const of = { ...wording, requestId: 'svc_a' };
	expect(failed(400, { body, of }).message).toMatch(/request ID svc_a\)$/);
	expect(failed(400, { body: refusal({ request_id: 12 }) }).message).toMatch(/request ID 12\)/);
});

test('what the service says is told without end nor secret', () => {
	const words = 'x '.repeat(1e5);
	const body = refusal({ request_id: `svc_fake-key-${words}`, message: `fake-key ${words}` });
	const { message } = failed(400, { body, of: { ...wording, secrets: ['fake-key'] } });
	expect(message).toMatch(/request: \*\*\* x.*request ID svc_\*\*\*-x[x ]+…\)$/);
	expect(message.length).toBeLessThan(900);
});

test('nothing of a failure tells a secret, nor is it without end', () => {
	const options = { outcome: 'unknown', origin: 'n8n', advice: '', secrets: ['fake-key'] } as const;
	const failure = new Failure('no fake-key', {
		...options,
		toId: 'fake-key',
		request_id: 'fake-key',
	});
	expect(failure.message).toBe('no *** (request ID ***)');
	expect(JSON.stringify(failure)).not.toContain('fake-key');
	expect(new Failure('x'.repeat(1e5), options).message).toHaveLength(1501);
});

test.each([
	[302, '/login?token=secret-token', 'redirects to /login,'],
	[301, 'login/now', 'redirects to login/now,'],
	[308, '//other.example.com/x', 'redirects to //other.example.com/x,'],
	[303, 'https://me:secret-token@example.com/login', 'redirects to https://***@example.com/login,'],
	[302, undefined, 'answered with nothing instead of a Workchat answer (HTTP 302)'],
	[399, undefined, 'answered with nothing instead of a Workchat answer (HTTP 399)'],
])('HTTP %d with Location %s is not followed: the service %s', (status, location, words) => {
	const { message, outcome } = failed(status, { headers: { location } });
	expect(message).toContain(`The service ${words}`);
	expect(message).not.toContain('secret-token');
	expect(outcome).toBe('unknown');
});

test.each<[unknown, number | undefined]>([
	['0', 0],
	[' 2 ', 2000],
	['1.2', 2000],
	['0.01', 1000],
	['1e3', undefined],
	['-1', undefined],
	['1,5', undefined],
	['soon', undefined],
	['2026', 2_026_000],
	['', undefined],
	[undefined, undefined],
	['Wed, 21 Oct 2015 07:28:00 GMT', 0],
	['2015-10-21', undefined],
])('Retry-After %j asks to wait %j ms', (header, milliseconds) => {
	expect(failed(429, { headers: { 'retry-after': header } }).retryAfter).toBe(milliseconds);
});

test('Retry-After may be a date to come', () => {
	const date = new Date(Date.now() + 60_000);
	const { retryAfter } = failed(429, { headers: { 'retry-after': date.toUTCString() } });
	expect(retryAfter).toBeGreaterThan(57_000);
	expect(retryAfter).toBeLessThan(61_000);
});
