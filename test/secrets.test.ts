import { LoggerProxy } from 'n8n-workflow';

import type { Misbehaviour } from '../dev/sandbox/misbehaviour';
import { samples } from '../dev/sandbox/samples';
import { INSTANCE, KEY, resultOf, useBench, VIDEO, workflowOf } from './setup';

const bench = useBench();
let logged: string[];
beforeEach(() => {
	logged = [];
	const log = (...entry: unknown[]) => void logged.push(JSON.stringify(entry));
	LoggerProxy.init({ debug: log, info: log, warn: log, error: log });
});

const { video } = samples;
const QUERY = 'token=secret-token';
const SECRETS = [KEY, VIDEO.encodeData, video.aesKey, video.authKey, QUERY, 'fake-signature'];

/** @param message says all that it was told */
const every = (message: string): Misbehaviour[] => [
	{ kind: 'refuse', code: 1, message: `no: ${message}, https://example.com/x?${QUERY}` },
	...[400, 401, 403, 404, 429, 500, 502, 503, 504].flatMap((status) => [
		{ kind: 'httpError' as const, status, hasEnvelope: true },
		{ kind: 'httpError' as const, status, hasEnvelope: false },
	]),
	{ kind: 'redirect', location: `ftp://example.com/?${QUERY}` },
	...(
		[
			'html',
			'empty',
			'invalidJson',
			'hang',
			'dropBeforeReading',
			'dropAfterAccepting',
			'truncate',
			'stall',
		] as const
	).map((kind) => ({ kind })),
];

const OPTIONS = { maxTries: 1, timeout: 10_000 };

const patience = ({ kind }: Misbehaviour) =>
	kind === 'hang' || kind === 'stall' ? { ...OPTIONS, timeout: 150 } : OPTIONS;

/** The secrets stand in the parameters themselves, as somebody may have typed them there. */
const send = () => ({
	resource: 'message',
	operation: 'sendFeedVideo',
	toId: 'customer',
	...VIDEO,
	coverUrl: `https://example.com/cover.jpg?${QUERY}`,
	options: OPTIONS,
});
const download = () => ({
	resource: 'file',
	operation: 'download',
	specifyFile: 'fields',
	...bench.sandbox.fieldsOf(video),
	options: OPTIONS,
});

describe.each(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const)(
	'%s',
	(onError) => {
		test.each<[string, 'api' | 'file', () => object, string[]]>([
			['a message', 'api', send, [KEY, VIDEO.encodeData, QUERY]],
			['a download', 'api', download, [KEY, video.aesKey, video.authKey]],
			['a link', 'file', download, [video.aesKey, video.authKey, 'signature=fake-signature']],
		])('no failure of %s tells a secret', async (_, on, parametersOf, told) => {
			for (const misbehaviour of every(told.join(' '))) {
				bench.sandbox.misbehave(misbehaviour, { on, times: 2 });
				const settings = { onError, retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
				const run = await bench.engine.run(
					workflowOf([{}], { ...parametersOf(), options: patience(misbehaviour) }, settings),
				);
				const { items, errorItems, error } = resultOf(run);
				expect([error, ...items, ...errorItems].filter(Boolean)).toHaveLength(1);

				const saved = [
					run.data.resultData,
					run.data.executionData?.contextData,
					run.data.startData,
				];
				const texts = JSON.stringify(saved) + String(error?.stack) + logged.join('\n');
				expect(logged.join('\n')).toMatch(/Running node .+Workchat.+ started/);
				for (const secret of SECRETS) {
					if (texts.includes(secret)) throw new Error(`${misbehaviour.kind} tells ${secret}`);
				}
				expect(JSON.stringify(run)).not.toContain(KEY);
				bench.sandbox.reset();
			}
		});
	},
);

test('bad input tells no secret either', async () => {
	const parameters = {
		...send(),
		feedId: '={{ true }}',
		channelUrl: `ftp://example.com/?${QUERY}`,
	};
	const run = await bench.engine.run(workflowOf([{}], parameters));
	const texts = JSON.stringify(run.data.resultData) + logged.join('\n');
	expect(resultOf(run).error?.message).toMatch(/Channel URL is not a URL/);
	for (const secret of SECRETS) expect(texts).not.toContain(secret);
});

test('a success tells the log no secret', async () => {
	await bench.engine.run(workflowOf([{}], send()));
	await bench.engine.run(workflowOf([{}], download()));
	expect(bench.sandbox.messages[0]).toMatchObject({ instance_guid: INSTANCE });
	expect(bench.sandbox.requests).toHaveLength(3);
	for (const secret of SECRETS) expect(logged.join('\n')).not.toContain(secret);
});
