import type { Misbehaviour } from '../../../../dev/sandbox/misbehaviour';
import { samples } from '../../../../dev/sandbox/samples';
import { DOWNLOAD, recipients, resultOf, SEND, useBench, workflowOf } from '../../../support/setup';

const bench = useBench();

/** Little, but only where nothing comes: elsewhere a slow machine may need more. */
const patienceFor = ({ misbehaviour: { kind } }: Case) =>
	kind === 'hang' || kind === 'stall' ? 300 : 30_000;

interface Case {
	name: string;
	misbehaviour: Misbehaviour;
	outcome: 'rejected' | 'unknown';
	says: RegExp;
	advises: RegExp;
	details?: object;
}

const request_id = expect.stringMatching(/^svc_/) as string;

/** Of one status: as a gateway says it, and as the service does. */
function http(httpStatus: number, outcome: Case['outcome'], says: RegExp, advises: RegExp): Case[] {
	const code = httpStatus * 100;
	const told = new RegExp(`${says.source}: HTTP ${httpStatus} as told \\(code ${code}, HTTP`);
	const bare = new RegExp(`${says.source} \\(HTTP ${httpStatus}\\)$`);
	const caseOf = (hasEnvelope: boolean, words: RegExp, details: object): Case => ({
		name: `HTTP ${httpStatus} ${hasEnvelope ? 'with' : 'without'} an envelope`,
		misbehaviour: { kind: 'httpError', status: httpStatus, hasEnvelope },
		outcome,
		says: words,
		advises,
		details,
	});
	return [
		caseOf(false, bare, { httpStatus }),
		caseOf(true, told, { httpStatus, code, request_id }),
	];
}

const unknown = (
	name: string,
	misbehaviour: Misbehaviour,
	says: RegExp,
	advises: RegExp,
): Case => ({ name, misbehaviour, outcome: 'unknown', says, advises });
const elsewhere = 'https://other.example.com/path?token=secret-token';
const CLOSED = /closed the connection before its answer/;

/** What both operations share. Advice for an unknown outcome depends on the operation. */
const CASES: Case[] = [
	...http(400, 'rejected', /does not accept the request/, /values of this item/).slice(1),
	...http(401, 'rejected', /does not accept the API key/, /API key/).slice(1),
	...http(403, 'rejected', /does not allow this with the API key/, /API key/).slice(1),
	...http(
		403,
		'rejected',
		/did not answer itself: a web page came instead/,
		/proxy or a firewall/,
	).slice(0, 1),
	...http(404, 'rejected', /does not know this address/, /Base URL/),
	...http(429, 'rejected', /too many requests/, /Request Interval/),
	...http(500, 'unknown', /failed while it worked on this/, /again/),
	...http(503, 'unknown', /not available right now/, /again/).slice(0, 1),
	...http(503, 'rejected', /not available right now/, /later/).slice(1),
	{
		name: 'code ≠ 0',
		misbehaviour: { kind: 'refuse', code: 41001, message: 'the instance is offline' },
		outcome: 'rejected',
		says: /^The Workchat service refused: the instance is offline \(code 41001, request ID svc_\w+\)$/,
		advises: /request ID/,
		details: { code: 41001, request_id },
	},
	unknown('an HTML page', { kind: 'html' }, /a web page instead/, /Base URL/),
	unknown('an empty body', { kind: 'empty' }, /with nothing instead/, /Base URL/),
	unknown('invalid JSON', { kind: 'invalidJson' }, /something else instead/, /Base URL/),
	unknown(
		'a redirect',
		{ kind: 'redirect', location: elsewhere },
		/redirects to https:\/\/other\.example\.com\/path, which is not followed.*HTTP 307/,
		/Base URL/,
	),
	unknown('no answer', { kind: 'hang' }, /did not answer in time/, /Timeout/),
	unknown('a connection dropped at once', { kind: 'dropBeforeReading' }, CLOSED, /again/),
	unknown('a connection dropped later', { kind: 'dropAfterAccepting' }, CLOSED, /again/),
	unknown('a truncated answer', { kind: 'truncate' }, CLOSED, /again/),
	unknown('a stalled answer', { kind: 'stall' }, /did not answer in time/, /again/),
];

const SENDING = {
	parameters: SEND,
	item: () => ({ ...recipients(1)[0] }),
	advises: /may or may not have been sent: check with the recipient/,
};
const DOWNLOADING = {
	parameters: DOWNLOAD,
	item: () => ({ ...bench.sandbox.fieldsOf(samples.document) }),
	advises: /^(?!.*may or may not have been sent)/,
};

test.each(CASES.filter(({ name }) => /^(HTTP 401 with |HTTP 500|code|no answer)/.test(name)))(
	'$name stops the workflow with a clear error',
	async (expected) => {
		bench.sandbox.misbehave(expected.misbehaviour);
		const options = { maxTries: 1, timeout: patienceFor(expected) };
		const run = await bench.engine.run(workflowOf(recipients(1), { ...SEND, options }));
		expect(run.status).toBe('error');
		const { name, message, description, context } = resultOf(run).error ?? {};
		expect({ name, message, description, context }).toEqual({
			name: 'NodeApiError',
			message: expect.stringMatching(expected.says) as string,
			description: expect.stringMatching(expected.advises) as string,
			context: expect.objectContaining({ itemIndex: 0 }) as object,
		});
		expect(message).toMatch(/^The Workchat service /);
		expect(bench.sandbox.requests).toHaveLength(1);
	},
);

test.each([
	['send', SENDING],
	['download', DOWNLOADING],
])('%s: each is an error item', async (_, { parameters, item, advises }) => {
	// One after another, so each item gets its own.
	for (const { misbehaviour } of CASES) bench.sandbox.misbehave(misbehaviour);
	const options = { maxTries: 1, maxConcurrency: 1, timeout: '={{ $json.timeout }}' };
	const source = CASES.map((expected) => ({ ...item(), timeout: patienceFor(expected) }));
	const onError = 'continueRegularOutput';
	const run = await bench.engine.run(workflowOf(source, { ...parameters, options }, { onError }));
	expect(resultOf(run).error).toBeUndefined();
	const failed = resultOf(run).items.map(({ json, pairedItem }) => [pairedItem, json.error]);
	expect(failed).toEqual(
		CASES.map((expected, index) => [
			{ item: index },
			expect.objectContaining({
				message: expect.stringMatching(expected.says) as string,
				description: expect.stringMatching(expected.advises) as string,
				outcome: expected.outcome,
				...expected.details,
			}),
		]),
	);
	for (const [index, { outcome }] of CASES.entries()) {
		if (outcome === 'unknown')
			expect(failed[index]?.[1]).toMatchObject({ description: expect.stringMatching(advises) });
	}
});

// n8n has words of its own for some of these, and takes a code for an HTTP status.
test.each(['the order was canceled', 'ENOENT: ETIMEDOUT', 'upstream ETIMEDOUT'])(
	'"%s" is shown as the service said it, with the HTTP status, and the execution failed',
	async (message) => {
		bench.sandbox.misbehave({ kind: 'refuse', code: 404, message });
		const run = await bench.engine.run(workflowOf(recipients(1), SEND));
		expect(run.status).toBe('error');
		const { error } = resultOf(run);
		expect(error?.message).toContain(`refused: ${message.replace('led', 'lled')} (code 404, `);
		expect(error).toMatchObject({ httpCode: '200' });
	},
);
