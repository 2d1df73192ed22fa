import { parseBody } from '../../../../nodes/Workchat/service/envelope';
import type { About } from '../../../../nodes/Workchat/service/failure/failure';
import { responseFailure } from '../../../../nodes/Workchat/service/failure/responseFailure';
import { about } from '../../../support/about';
import { sentencesIn } from '../../../support/sentences';

type Given = Partial<About> & { headers?: object; body?: string };
async function failureOf(status: number, { headers = {}, body = '', ...more }: Given = {}) {
	const answer = await parseBody(Buffer.from(body), undefined);
	const failure = responseFailure({ status, headers } as never, answer, { ...about, ...more });
	expect(sentencesIn(failure.advice)).toHaveLength(1);
	return failure;
}

const PAGE = '<!doctype html><title>Sorry</title>';
/** The advice. */
const VALUES = /^Check the values of this item\.$/;
const REASON = /^Check the values of this item, or ask the service .* the request ID\.$/;
const OLD_LINK =
	/^Check the values of this item, above all its links: a link from a callback expires/;
const API_KEY = /^Check the API key in the Workchat credential\.$/;
const BASE_URL = /^Check the Base URL in the Workchat credential, .* https:\/\/ or http:\/\/\.$/;
const PROXY = /^Check the proxy in n8n's environment: HTTP_PROXY.*HTTPS_PROXY.*NO_PROXY/;
const ASK = /^Ask the recipient\.$/;

test.each<[number, string, RegExp, RegExp]>([
	[400, 'rejected', /does not accept the request/, VALUES],
	[401, 'rejected', /does not accept the API key/, API_KEY],
	[403, 'rejected', /does not allow this with the API key/, API_KEY],
	[404, 'rejected', /does not know this address/, BASE_URL],
	[407, 'rejected', /was not reached: a proxy requires a user name and password/, PROXY],
	[408, 'unknown', /failed while it processed the request/, ASK],
	[418, 'rejected', /refused/, VALUES],
	[429, 'rejected', /is receiving too many requests/, /^To slow down, set 'Request Interval/],
	[500, 'unknown', /failed while it processed the request/, ASK],
	[503, 'unknown', /is not available right now/, ASK],
])(
	'after HTTP %d without an envelope, a message is reported as %s, with advice that fits, and tried again only if the service is busy',
	async (status, outcome, says, advises) => {
		const failure = await failureOf(status);
		const transient = status >= 429 || status === 408;
		expect(failure).toMatchObject({ outcome, transient, origin: 'service' });
		expect(failure.message).toMatch(RegExp(`^The service ${says.source} \\(HTTP ${status}\\)$`));
		expect(failure.advice).toMatch(advises);
		if (![404, 407].includes(status) && status < 429) return;
		expect((await failureOf(status, { body: PAGE })).message).toBe(failure.message);
	},
);

test.each([400, 401, 499])(
	'with HTTP %d and a web page, the error says that the service did not answer itself',
	async (status) => {
		const { message, advice } = await failureOf(status, { body: PAGE });
		expect(message).toMatch(/did not answer itself: a web page came instead \(HTTP \d+\)$/);
		expect(advice).toMatch(/Base URL.*https:\/\/ or http:\/\/.*the proxy or firewall/);
		const headers = { 'content-type': 'text/html' };
		expect((await failureOf(status, { headers, body: 'x' })).message).toBe(message);
		expect((await failureOf(status, { headers, body: '\n' })).message).not.toMatch(/page/);
	},
);

test.each<[number, string, RegExp, RegExp]>([
	[200, '{"code":7,"msg":"no","request_id":"a"}', /refused: no \(code 7, request ID a\)$/, REASON],
	[200, '{"ok":false,"code":"fake-key"}', /refused \(code \*\*\*\)$/, REASON],
	[200, '{"code":7,"msg":"fileUrl expired"}', /refused: fileUrl expired \(/, OLD_LINK],
	[200, '{"code":7,"msg":"文件已过期"}', /refused: 文件已过期 \(/, OLD_LINK],
	[401, '{"code":7,"msg":"logged out"}', /^The service refused: logged out \(/, API_KEY],
	[401, '{"code":7,"msg":"token expired"}', /^The service refused: token expired \(/, API_KEY],
	[403, '{"code":7,"msg":"实例不存在"}', /^The service refused: 实例不存在 \(/, API_KEY],
	[401, '{"code":401}', /does not accept the API key \(/, API_KEY],
	[404, '{"code":404,"errmsg":"bad token"}', /refused: bad token \(/, REASON],
	[
		429,
		'{"code":7,"msg":"no"}',
		/receiving too many requests: no \(code 7, HTTP 429\)$/,
		/^To slow down/,
	],
	[503, '{"code":7,"msg":"no"}', /right now: no \(code 7, HTTP 503\)$/, /^Try again later\.$/],
])(
	'the error about HTTP %d with %s shows the reason, and says what to do',
	async (status, body, says, advises) => {
		const failure = await failureOf(status, { body, secrets: ['fake-key'] });
		expect(failure.message).toMatch(says);
		expect(failure.advice).toMatch(advises);
	},
);

const INSTEAD = 'instead of a Workchat response';
const BOTH = 'reports both success and failure';
test.each([
	['', `answered with nothing ${INSTEAD}`, true],
	[PAGE, `answered with a web page ${INSTEAD}`, true],
	['[0]', `answered with something else ${INSTEAD}`, true],
	['hello', `answered with something else ${INSTEAD}: hello`, true],
	['{"code":0,"data":{"success":0}}', `${BOTH} (code 0)`, false],
	['{"ok":true,"code":7}', `${BOTH} (code 7)`, false],
])(
	'a message that is answered with HTTP 200 and %j is unknown: the service %s',
	async (body, says, transient) => {
		const message = `The service ${says}`;
		for (const isRepeatable of [false, true]) {
			const failure = await failureOf(200, { body, isRepeatable });
			expect(failure).toMatchObject({ message, outcome: 'unknown', transient });
			const alone = transient ? /^Check the Base URL[^.]*\.$/ : /^Try again\.$/;
			expect(failure.advice).toMatch(
				isRepeatable ? alone : /^Ask the recipient\.$|, and ask the recipient\.$/,
			);
		}
	},
);

test('without its own request ID, a failure has that of the earlier envelope', async () => {
	const traced = await failureOf(400, { body: '{"code":7,"request_id":[1]}', request_id: 'svc_a' });
	expect(traced.details.request_id).toBe('svc_a');
});

test.each([
	[302, '/login?token=secret-token', 'redirects to /login. '],
	[303, 'https://me:secret-token@example.com/a', 'redirects to https://***@example.com/a. '],
	[302, undefined, 'answered with nothing'],
])(
	'HTTP %d with the Location %s is not followed: the service %s',
	async (status, location, words) => {
		const failure = await failureOf(status, { headers: { location } });
		expect(failure).toMatchObject({ outcome: 'unknown', transient: false });
		expect(failure.message).toContain(`The service ${words}`);
		expect(failure.message).not.toContain('secret-token');
		expect(failure.advice).toMatch(/Base URL/);
	},
);

describe('Retry-After', () => {
	const NOW = Date.parse('2026-03-01T00:00:00Z');
	beforeEach(() => void jest.spyOn(Date, 'now').mockReturnValue(NOW));
	afterEach(() => jest.restoreAllMocks());
	const DATE = 'Sun, 01 Mar 2026 00:01:40 GMT';
	const PAST = ['0', ' 0 ', 'Sat, 28 Feb 2026 23:59:59 GMT'];
	const ODD = ['', ...'soon -5 1e3 0x10 5s 1,5 2026-03-02'.split(' '), '9'.repeat(400), undefined];

	test.each<[header: string | undefined, wait: number | undefined, date?: string]>([
		[' 7 ', 7000],
		['1000000', 1e9],
		[DATE, 100_000],
		[DATE, 10_000, 'Sun, 01 Mar 2026 00:01:30 GMT'],
		...[...PAST, ...ODD].map((none): [string | undefined, undefined] => [none, undefined]),
	])(
		'the node waits after %j for %s ms, by the clock of the sender',
		async (header, wait, ...[date]) => {
			const { retryAfter } = await failureOf(429, { headers: { 'retry-after': header, date } });
			expect(retryAfter).toBe(wait);
		},
	);

	test.each([
		['60', undefined],
		['61', '2 min'],
		['Mon, 02 Mar 2026 06:00:00 GMT', '1800 min'],
	])('after %j the node retries, or the error names the time: %s', async (header, words) => {
		const headers = { 'retry-after': header };
		const failure = await failureOf(503, { body: '{"code":7}', headers });
		expect(failure.transient).toBe(words === undefined);
		expect(/; it asks to wait (.*), and .*\(code/.exec(failure.message)?.[1]).toBe(words);
	});
});
