import { Engine } from '../dev/engine/engine';
import type { Misbehaviour } from '../dev/sandbox/misbehaviour';
import { samples } from '../dev/sandbox/samples';
import {
	DOWNLOAD,
	KEY,
	recipients,
	resultOf,
	SEND,
	useBench,
	VIDEO,
	workflowOf,
	type Bench,
} from './setup';

const bench = useBench();

const OPTIONS = { maxTries: 1 };
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

const SERVICE_ID = expect.stringMatching(/^svc_/) as string;

const http = (status: number, outcome: Case['outcome'], says: RegExp, advises: RegExp): Case[] => {
	const code = status * 100;
	return [
		{
			name: `HTTP ${status} with an envelope`,
			misbehaviour: { kind: 'httpError', status, hasEnvelope: true },
			outcome,
			says: new RegExp(`${says.source}: HTTP ${status} as told \\(code ${code}, HTTP`),
			advises,
			details: { httpStatus: status, code, request_id: SERVICE_ID },
		},
		{
			name: `HTTP ${status} without an envelope`,
			misbehaviour: { kind: 'httpError', status, hasEnvelope: false },
			outcome,
			says: new RegExp(`${says.source} \\(HTTP ${status}\\)$`),
			advises,
			details: { httpStatus: status },
		},
	];
};

const unknown = (
	name: string,
	misbehaviour: Misbehaviour,
	says: RegExp,
	advises: RegExp,
): Case => ({
	name,
	misbehaviour,
	outcome: 'unknown',
	says,
	advises,
});
const elsewhere = 'https://other.example.com/path?token=secret-token';
const CLOSED = /closed the connection before its answer/;

/** What both operations share. Advice for an unknown outcome depends on the operation. */
const CASES: Case[] = [
	...http(400, 'rejected', /does not accept the request/, /values of this item/),
	...http(401, 'rejected', /does not accept the API key/, /API key/),
	...http(403, 'rejected', /does not allow this with the API key/, /API key/),
	...http(404, 'rejected', /does not know this address/, /Base URL/),
	...http(429, 'rejected', /too many requests/, /Request Interval/),
	...http(500, 'unknown', /failed while it worked on this/, /again/),
	...http(502, 'unknown', /failed while it worked on this/, /again/),
	...http(503, 'rejected', /not available right now/, /later/).slice(0, 1),
	...http(503, 'unknown', /not available right now/, /again/).slice(1),
	...http(504, 'unknown', /failed while it worked on this/, /again/),
	{
		name: 'code ≠ 0',
		misbehaviour: { kind: 'refuse', code: 41001, message: 'the instance is offline' },
		outcome: 'rejected',
		says: /^The Workchat service refused: the instance is offline \(code 41001, request ID svc_\w+\)$/,
		advises: /request ID/,
		details: { code: 41001, request_id: SERVICE_ID },
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
	unknown(
		'a truncated answer',
		{ kind: 'truncate' },
		/closed the connection before its answer|broke off in the middle/,
		/again/,
	),
	unknown(
		'a stalled answer',
		{ kind: 'stall' },
		/did not answer in time|no byte came for 0\.3 s/,
		/again/,
	),
];

const operations = {
	send: {
		parameters: SEND,
		item: () => ({ ...recipients(1)[0] }),
		warning: /may or may not have been sent: check with the recipient/,
	},
	download: {
		parameters: DOWNLOAD,
		item: () => ({ ...bench.sandbox.fieldsOf(samples.document) }),
		warning: undefined,
	},
};

describe.each(['send', 'download'] as const)('%s', (name) => {
	const { parameters, item, warning } = operations[name];

	test.each(CASES)('$name stops the workflow with a clear error', async (expected) => {
		bench.sandbox.misbehave(expected.misbehaviour);
		const options = { maxTries: 1, timeout: patienceFor(expected) };
		const run = await bench.engine.run(workflowOf([item()], { ...parameters, options }));
		const { error } = resultOf(run);

		expect(run.status).toBe('error');
		expect(error?.name).toBe('NodeApiError');
		expect(error?.message).toMatch(expected.says);
		expect(error?.message).toMatch(/^The Workchat service /);
		expect(error?.description).toMatch(expected.advises);
		if (expected.outcome === 'unknown' && warning && expected.misbehaviour.kind !== 'redirect') {
			expect(error?.description).toMatch(warning);
		}
		expect(error?.context?.itemIndex).toBe(0);
		expect(bench.sandbox.requests).toHaveLength(1);
		expectNoSecrets(run);
	});

	test.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
		'each is an error item with %s',
		async (onError) => {
			// One after another, so each item gets its own.
			for (const { misbehaviour } of CASES) bench.sandbox.misbehave(misbehaviour);
			const options = { maxTries: 1, maxConcurrency: 1, timeout: '={{ $json.timeout }}' };
			const source = CASES.map((expected) => ({ ...item(), timeout: patienceFor(expected) }));
			const run = await bench.engine.run(
				workflowOf(source, { ...parameters, options }, { onError }),
			);
			const { items, errorItems, error } = resultOf(run);
			const [failed, others] =
				onError === 'continueErrorOutput' ? [errorItems, items] : [items, errorItems];

			expect(error).toBeUndefined();
			expect(others).toHaveLength(0);
			expect(failed).toHaveLength(CASES.length);
			for (const [index, { says, advises, outcome, details }] of CASES.entries()) {
				expect(failed[index]?.pairedItem).toMatchObject({ item: index });
				expect(failed[index]?.json.error).toMatchObject({
					message: expect.stringMatching(says) as string,
					description: expect.stringMatching(advises) as string,
					outcome,
					...details,
				});
			}
			expectNoSecrets(
				run,
				failed.map(({ json }) => json.error),
			);
		},
	);
});

test('an envelope without request_id is a success all the same', async () => {
	bench.sandbox.misbehave({ kind: 'noRequestId' });
	const { items, error } = resultOf(await bench.engine.run(workflowOf(recipients(1), SEND)));
	expect(error).toBeUndefined();
	expect(items[0]?.json).toEqual({ ok: true, code: 0, message: 'success', data: null });
});

const failSend = async (engine: Engine, misbehaviour: Misbehaviour) => {
	bench.sandbox.misbehave(misbehaviour);
	const run = await engine.run(workflowOf(recipients(1), { ...SEND, options: OPTIONS }));
	return { run, error: resultOf(run).error };
};

test('a message that repeats secrets loses them', async () => {
	const message = `bad ${KEY} and ${VIDEO.encodeData} at https://example.com/a?token=secret-token`;
	const { run, error } = await failSend(bench.engine, { kind: 'refuse', code: 1, message });
	expect(error?.message).toMatch(
		/refused: bad \*\*\* and \*\*\* at https:\/\/example.com\/a\?\*\*\* \(code 1/,
	);
	expectNoSecrets(run);
});

test('a key with a line break at its end is no secret less', async () => {
	const engine = await Engine.start({
		credential: { apiKey: `${KEY}\n`, baseUrl: bench.sandbox.url, defaultInstanceGuid: 'x' },
	});
	const misbehaviour = { kind: 'refuse', code: 1, message: `bad key ${KEY}` } as const;
	const { run, error } = await failSend(engine, misbehaviour);
	expect(error?.message).toMatch(/refused: bad key \*\*\* \(code 1/);
	expectNoSecrets(run);
});

// n8n has words of its own for some of these, and takes a code for an HTTP status.
test.each(['the order was canceled', 'ENOENT: ETIMEDOUT', 'upstream ETIMEDOUT'])(
	'"%s" is shown as the service said it, with the HTTP status, and the execution failed',
	async (message) => {
		const { run, error } = await failSend(bench.engine, { kind: 'refuse', code: 404, message });
		expect(run.status).toBe('error');
		expect(error?.message).toContain(`refused: ${message.replace('led', 'lled')} (code 404, `);
		expect(error).toMatchObject({ httpCode: '200' });
	},
);

/** The items of a run hold what the user put in; all else of it may hold no secret. */
function expectNoSecrets(
	run: Awaited<ReturnType<Bench['engine']['run']>>,
	more: unknown = null,
): void {
	const { error, runData } = run.data.resultData;
	const errors = Object.values(runData).flatMap((runs) =>
		runs.map(({ error: e, hints }) => [e, hints]),
	);
	const contexts = run.data.executionData?.contextData;
	const { aesKey, authKey } = samples.document;
	const texts = JSON.stringify([error, errors, contexts, more]);
	for (const secret of [KEY, aesKey, authKey, VIDEO.encodeData, 'secret-token', 'fake-signature']) {
		expect(texts).not.toContain(secret);
	}
	expect(JSON.stringify(run)).not.toContain(KEY);
}
