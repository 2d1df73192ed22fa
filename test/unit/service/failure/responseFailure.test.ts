import { answerIn } from '../../../../nodes/Workchat/service/envelope';
import { responseFailure } from '../../../../nodes/Workchat/service/failure/responseFailure';
import { about } from '../../../support/about';

interface Given {
	headers?: object;
	body?: string;
	isRepeatable?: boolean;
	secrets?: string[];
	request_id?: string;
}
async function failureOf(status: number, { headers = {}, body = '', ...more }: Given = {}) {
	const answer = await answerIn(Buffer.from(body), undefined);
	return responseFailure({ status, headers } as never, answer, { ...about, ...more });
}

const PAGE = '<!doctype html><title>Sorry</title>';
const SENT = /may or may not have been sent/;

test.each<[number, string, RegExp, RegExp]>([
	[400, 'rejected', /does not accept the request/, /^Check the values of this item\.$/],
	[401, 'rejected', /does not accept the API key/, /^Check the API key/],
	[403, 'rejected', /does not allow this with the API key/, /^Check the API key/],
	[404, 'rejected', /does not know this address/, /^Check the Base URL/],
	[408, 'unknown', /failed while it worked on this/, SENT],
	[418, 'rejected', /refused/, /^Check the values of this item\.$/],
	[429, 'rejected', /is receiving too many requests/, /^Set 'Request Interval/],
	[500, 'unknown', /failed while it worked on this/, SENT],
	[503, 'unknown', /is not available right now/, /^The message may or may not have been sent/],
])('HTTP %d is %s, in its own words', async (status, outcome, says, advises) => {
	const failure = await failureOf(status);
	expect(failure).toMatchObject({ outcome, transient: status >= 429 || status === 408 });
	expect(failure.message).toMatch(RegExp(`^The service ${says.source} \\(HTTP ${status}\\)$`));
	expect(failure.advice).toMatch(advises);
	const body = '{"code":7,"message":"as told","request_id":"svc_1"}';
	const { message } = await failureOf(status, { body });
	expect(message).toMatch(
		RegExp(`${says.source}|refused: as told \\(code 7, HTTP ${status}, request ID svc_1\\)$`),
	);
});

test.each([400, 401, 403, 405, 407, 413])('a page of HTTP %d is of others', async (status) => {
	const { message, advice } = await failureOf(status, { body: PAGE });
	expect(message).toMatch(/did not answer itself: a web page came instead \(HTTP \d+\)$/);
	expect(advice).toMatch(/Base URL.*https:\/\/ and http:\/\/.*a proxy or a firewall/);
	const headers = { 'content-type': 'text/html' };
	expect((await failureOf(status, { headers, body: 'x' })).message).toBe(message);
	expect((await failureOf(status, { headers, body: '\n' })).message).not.toMatch(/page/);
});
test.each([404, 429, 500, 503])('with a page, HTTP %d means the same', async (status) => {
	expect((await failureOf(status, { body: PAGE })).message).toBe((await failureOf(status)).message);
});

const PROXY = '{"error":"no route"}';
test.each<[number, string, RegExp, RegExp]>([
	[
		401,
		'{"code":7,"msg":"logged out"}',
		/^The service refused: logged out \(/,
		/^Check the values/,
	],
	[403, '{"ok":false,"error":{"message":"gone"}}', /refused: gone \(HTTP/, /^Check the values/],
	[404, '{"code":404,"errmsg":"no instance"}', /refused: no instance \(/, /^Check the values/],
	[404, '{"code":404,"errmsg":"bad token"}', /refused: bad token \(/, /^Check the values/],
	[401, '{"code":401,"msg":"invalid token"}', /the API key: invalid token/, /^Check the API key/],
	[401, '{"code":401}', /does not accept the API key \(/, /^Check the API key/],
	[404, PROXY, /does not know this address: no route \(/, /^Check the Base URL/],
	[502, 'bad gateway', /failed while it worked on this: bad gateway \(HTTP 502\)$/, SENT],
	[200, '{"ok":false,"code":"A-1"}', /^The service refused \(code A-1\)$/, /^Check the values/],
	[200, '{"ok":false,"code":"***"}', /refused \(code \*\*\*\)$/, /^Check the values/],
])('HTTP %d with %s: the words that come along', async (status, body, says, advises) => {
	const secrets = ['fake-key'];
	const failure = await failureOf(status, { body: body.replace('***', 'fake-key'), secrets });
	expect(failure.message).toMatch(says);
	expect(failure.advice).toMatch(advises);
	const isOfOthers = /Base URL|API key/.test(failure.advice);
	expect(isOfOthers).toBe(/API key|Base URL/.test(String(advises)));
});

test.each([
	['fileUrl expired', true],
	['the link is not valid', true],
	['文件已过期', true],
	['not a friend', false],
])('of a link that came with a callback, %j says more: %s', async (msg, isOfLink) => {
	const { advice } = await failureOf(200, { body: JSON.stringify({ code: 7, msg }) });
	expect(advice.includes('A link that came with a callback does not last')).toBe(isOfLink);
});

const INSTEAD = 'instead of a Workchat answer';
const BOTH = 'says both that it worked and that it did not';
test.each([
	['', `answered with nothing ${INSTEAD}`, true],
	[' \n', `answered with nothing ${INSTEAD}`, true],
	[PAGE, `answered with a web page ${INSTEAD}`, true],
	['[0]', `answered with something else ${INSTEAD}`, true],
	['hello', `answered with something else ${INSTEAD}: hello`, true],
	['{"code":0,"data":{"success":0}}', `${BOTH} (code 0)`, false],
	['{"ok":null,"code":0}', `${BOTH} (code 0)`, false],
	['{"ok":true,"code":7}', `${BOTH} (code 7)`, false],
])('%j of HTTP 200 is unknown: the service %s', async (body, says, transient) => {
	for (const isRepeatable of [false, true]) {
		const failure = await failureOf(200, { body, isRepeatable });
		expect(failure).toMatchObject({
			message: `The service ${says}`,
			outcome: 'unknown',
			transient,
		});
		expect(SENT.test(failure.advice)).toBe(!isRepeatable);
	}
});

test('a refusal is told with what helps to trace it, without end nor secret', async () => {
	const failure = await failureOf(200, { body: '{"code":7,"message":"no","request_id":"svc_1"}' });
	const message = 'The service refused: no (code 7, request ID svc_1)';
	const facts = { outcome: 'rejected', origin: 'service', transient: false };
	expect(failure).toMatchObject({ message, ...facts });
	expect(failure.advice).toMatch(/give it the request ID/);
	const traced = await failureOf(400, { body: '{"code":7,"request_id":[1]}', request_id: 'svc_a' });
	expect(traced.details.request_id).toBe('svc_a');
	const body = JSON.stringify({ code: 7, message: `fake-key ${'x '.repeat(1e5)}` });
	const long = await failureOf(400, { body, secrets: ['fake-key'] });
	expect(long.message).toMatch(/request: \*\*\* x[x ]{490,500}… \(code 7, HTTP 400\)$/);
});

test.each([
	[302, '/login?token=secret-token', 'redirects to /login,'],
	[307, '../up#secret-token', 'redirects to ../up,'],
	[303, 'https://me:secret-token@example.com/a', 'redirects to https://***@example.com/a,'],
	[302, undefined, 'answered with nothing'],
])('HTTP %d with Location %s is not followed: the service %s', async (status, location, words) => {
	const failure = await failureOf(status, { headers: { location } });
	expect(failure).toMatchObject({ outcome: 'unknown', transient: false });
	expect(failure.message).toContain(`The service ${words}`);
	expect(failure.message).not.toContain('secret-token');
	expect(failure.advice).toMatch(/Base URL/);
});

describe('Retry-After', () => {
	const NOW = Date.parse('2026-03-01T00:00:00Z');
	beforeEach(() => void jest.spyOn(Date, 'now').mockReturnValue(NOW));
	afterEach(() => jest.restoreAllMocks());
	const waitOf = async (header: unknown) =>
		(await failureOf(429, { headers: { 'retry-after': header } })).retryAfter;

	test.each<[string, number]>([
		['7', 7000],
		['1.001', 2000],
		['1000000', 1e9],
		['Sun, 01 Mar 2026 00:01:40 GMT', 100_000],
		['Sunday, 01-Mar-26 00:01:40 GMT', 100_000],
		['Sun Mar  1 00:01:40 2026', 100_000],
	])('%j is waited for', async (header, wait) => expect(await waitOf(header)).toBe(wait));

	test('a date is of the clock that sent it', async () => {
		const headers = {
			'retry-after': 'Sun, 01 Mar 2026 00:01:40 GMT',
			date: 'Sun, 01 Mar 2026 00:01:30 GMT',
		};
		expect((await failureOf(429, { headers })).retryAfter).toBe(10_000);
	});

	test.each([
		['60', undefined],
		['61', '1.1 min'],
		['5400', '90 min'],
		['7200', '2 h'],
		['Mon, 02 Mar 2026 06:00:00 GMT', '30 h'],
	])('%j is waited for, or told: %s', async (header, words) => {
		const failure = await failureOf(503, {
			body: '{"code":7}',
			headers: { 'retry-after': header },
		});
		expect(failure.transient).toBe(words === undefined);
		expect(/; it asks to wait (.*) \(code/.exec(failure.message)?.[1]).toBe(words);
	});

	const PAST = ['0', ' 0 ', '0.0', 'Sat, 28 Feb 2026 23:59:59 GMT'];
	const NONE = [
		'',
		...PAST,
		...'soon -5 1e3 0x10 5s 1,5 2026-03-01'.split(' '),
		'9'.repeat(400),
		undefined,
	];
	test.each(NONE)('%j is none', async (header) => expect(await waitOf(header)).toBeUndefined());
});
