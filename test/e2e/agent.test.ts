import type { INodeParameters } from 'n8n-workflow';

import { samples } from '../../dev/sandbox/samples';
import { CREDENTIAL, DOWNLOAD, nodeOf, SEND, TRIGGER, VIDEO } from '../../dev/engine/workflows';
import type { NodeSettings } from '../../dev/engine/workflows';
import { atEnd } from './atEnd';
import { startOpenAiStub, type OpenAiStub } from './openAiStub';
import { useN8n } from './setup';

const here = useN8n();

let model: OpenAiStub;
beforeAll(async () => {
	model = await startOpenAiStub();
	atEnd(async () => await model.stop());
	await here.n8n.addCredential('openAiApi', 'Model', { apiKey: 'fake-key', url: model.url });
});

const TOOL = 'Workchat';

const SEND_TO = { ...SEND, toId: "={{ $fromAI('recipient', '', 'string') }}" };

const send = (recipient: string) => ({ tool: TOOL, arguments: { recipient } });
const call = send('customer-1');

/** Trigger → Agent, with the model that the tests play, and the node as its only tool. */
async function addAgent(
	typeVersion: number,
	{ onError, ...settings }: NodeSettings,
	parameters: object,
): Promise<string> {
	const to = (type: 'main' | 'ai_tool' | 'ai_languageModel') => ({
		[type]: [[{ node: 'Agent', type, index: 0 }]],
	});
	const { id } = await here.n8n.addWorkflow({
		name: 'Agent',
		nodes: [
			nodeOf(TRIGGER, 'n8n-nodes-base.manualTrigger'),
			nodeOf('Agent', '@n8n/n8n-nodes-langchain.agent', {
				typeVersion,
				parameters: { promptType: 'define', text: 'Do what you are told.' },
			}),
			nodeOf('Model', '@n8n/n8n-nodes-langchain.lmChatOpenAi', {
				typeVersion: 1.2,
				parameters: { model: { __rl: true, mode: 'id', value: 'example' } },
				credentials: { openAiApi: { id: '1', name: 'Model' } },
			}),
			nodeOf(TOOL, 'n8n-nodes-workchat.workchatTool', {
				parameters: parameters as INodeParameters,
				credentials: { workchatApi: { id: '1', name: CREDENTIAL } },
				...settings,
				...(onError && { onError }),
			}),
		],
		connections: {
			[TRIGGER]: to('main'),
			Model: to('ai_languageModel'),
			[TOOL]: to('ai_tool'),
		},
		settings: { executionOrder: 'v1' }, // as in every workflow that n8n's editor makes
	});
	return id;
}

/** Runs an Agent whose model makes these calls, one message after another. */
async function converse(
	calls: Parameters<OpenAiStub['willCall']>,
	{
		version,
		parameters = SEND_TO,
		...settings
	}: NodeSettings & { version: number; parameters?: object },
) {
	const id = await addAgent(version, settings, parameters);
	model.willCall(...calls);
	const execution = await here.n8n.run(id, TRIGGER);
	const seen = model.toolMessages;
	expect(JSON.stringify([model.conversations, execution.saved])).not.toContain(here.sandbox.key);
	expect(JSON.stringify(seen)).not.toContain(VIDEO.encodeData);
	const { error } = execution.data.resultData;
	return { id, execution, seen, error: error?.message ?? '', asked: model.conversations.length };
}

const recipientsOf = (entries: Array<Record<string, unknown>>) => entries.map(({ toId }) => toId);
const accepted = () => recipientsOf(here.sandbox.messages);
const requested = () => recipientsOf(here.sandbox.requests.map(({ body }) => body ?? {}));

/** Fails for what a model may take as leave to send once more. */
function expectNotToBeRepeated(words: string | undefined): void {
	expect(words).toMatch(/may (already )?have been (sent|done)/i);
	expect(words).toMatch(/(do|must) not (be )?(send|sent)( it| this message)? again/i);
}

// The version that n8n takes for a new Agent, and the last of those that run a tool by themselves.
describe.each([3.1, 2.2])('AI Agent %s', (version) => {
	/** n8n's engine runs the tool, not the Agent itself. */
	const isThree = version >= 3;

	describe.each([
		undefined, // as n8n's editor leaves it
		'stopWorkflow',
		'continueRegularOutput',
		'continueErrorOutput',
	] as const)('On Error: %s', (onError) => {
		const ends = isThree && onError === 'stopWorkflow';

		test('a connection that is lost after acceptance: the model is told not to repeat, and cannot', async () => {
			here.sandbox.misbehave({ kind: 'dropAfterAccepting' });
			const { execution, seen, error, asked } = await converse([[call], [call]], {
				version,
				onError,
			});
			expect(accepted()).toEqual(['customer-1']);
			expect(requested()).toHaveLength(1);
			if (ends) {
				expect(execution.status).toBe('error');
				expectNotToBeRepeated(error);
				expect(asked).toBe(1);
			} else {
				expect(execution.status).toBe('success');
				expect(seen).toHaveLength(2);
				seen.forEach(expectNotToBeRepeated);
			}
		});

		test('a refusal: the model reads why, and may try again', async () => {
			here.sandbox.misbehave({ kind: 'refuse', code: 123, message: 'example reason' });
			const { execution, seen, error } = await converse([[call], [call]], { version, onError });
			const [first = '', second] = ends ? [error] : seen;
			expect(first).toContain('example reason');
			expect(first).toMatch(/code\W+123/);
			expect(first).toMatch(/request.?ID\W+svc_/i);
			expect(first).not.toMatch(/may (already )?have been/i);
			expect(execution.status).toBe(ends ? 'error' : 'success');
			expect(accepted()).toEqual(ends ? [] : ['customer-1']);
			// n8n-core 2.40, workflow-execute.js, handleNodeErrorOutput: a tool's only output becomes
			// the error output, so that Agent 3 gets nothing of one that succeeds.
			const isShown = !(isThree && onError === 'continueErrorOutput');
			if (!ends) expect(second).toMatch(isShown ? /svc_/ : /^""$/);
		});
	});

	test('the same call twice: sent once, the second is given the first result', async () => {
		const { seen } = await converse([[call], [call], [send('customer-2')]], { version });
		expect(accepted()).toEqual(['customer-1', 'customer-2']);
		expect(requested()).toHaveLength(2);
		const [first, second, other] = seen;
		expect(first).toMatch(/svc_/);
		expect(second).toBe(first);
		expect(other).toMatch(/svc_/);
		expect(other).not.toBe(first);
	});

	test('the same call twice in one message: sent once', async () => {
		// Long enough for both to be under way where the Agent runs them at once.
		here.sandbox.misbehave({ kind: 'delay', milliseconds: 1000 });
		const { seen } = await converse([[call, call]], { version });
		expect(accepted()).toEqual(['customer-1']);
		expect(requested()).toHaveLength(1);
		expect(seen).toEqual([expect.stringMatching(/svc_/), seen[0]]);
	});

	test('the same call twice in one message, and the connection is lost: sent once', async () => {
		here.sandbox.misbehave({ kind: 'dropAfterAccepting' });
		const { seen } = await converse([[call, call], [call]], { version });
		expect(accepted()).toEqual(['customer-1']);
		expect(seen).toHaveLength(3);
		seen.forEach(expectNotToBeRepeated);
	});

	test('different calls in one message: all are sent', async () => {
		const calls = ['customer-1', 'customer-2', 'customer-3'].map(send);
		const { seen } = await converse([calls], { version });
		expect(accepted().sort()).toEqual(['customer-1', 'customer-2', 'customer-3']);
		expect(new Set(seen).size).toBe(3);
	});

	test('Retry On Fail does not send again what was accepted', async () => {
		here.sandbox.misbehave({ kind: 'dropAfterAccepting' });
		const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 0 };
		const { seen } = await converse([[call]], { version, ...settings });
		expect(accepted()).toEqual(['customer-1']);
		expect(seen).toHaveLength(1);
		expectNotToBeRepeated(seen[0]);
	});

	test('a new execution sends again', async () => {
		const { id } = await converse([[call]], { version });
		model.willCall([call]);
		await here.n8n.run(id, TRIGGER);
		expect(accepted()).toEqual(['customer-1', 'customer-1']);
		expect(model.toolMessages).toEqual([expect.stringMatching(/svc_/)]);
	});

	describe('a download', () => {
		const file = (fields: object) => ({
			version,
			parameters: { ...DOWNLOAD, file: JSON.stringify(fields) },
		});
		const download = { tool: TOOL, arguments: {} };

		test('the model reads what was downloaded', async () => {
			const { seen } = await converse([[download]], file(here.sandbox.fieldsOf(samples.video)));
			expect(seen).toEqual([expect.stringContaining(samples.video.name)]);
		});

		test('a refusal: the model reads why, and trying again is up to it', async () => {
			const wrong = { ...here.sandbox.fieldsOf(samples.video), fileAuthkey: 'fake-auth-key' };
			const { seen } = await converse([[download], [download]], file(wrong));
			expect(seen).toHaveLength(2);
			for (const words of seen) {
				expect(words).toContain('the file cannot be decrypted');
				expect(words).toMatch(/code\W+42002/);
				expect(words).toMatch(/request.?ID\W+svc_/i);
				expect(words).not.toContain('fake-auth-key');
			}
			expect(here.sandbox.requests).toHaveLength(2);
		});

		test('a web page in place of the file: the model reads that', async () => {
			here.sandbox.answerDownloads({
				as: 'body',
				content: Buffer.from('<!doctype html><h1>Gone</h1>'),
				headers: { 'content-type': 'text/html' },
			});
			const { seen } = await converse([[download]], file(here.sandbox.fieldsOf(samples.video)));
			expect(seen).toEqual([expect.stringMatching(/web page/i)]);
		});
	});
});

describe('the retry of a failed execution from the list', () => {
	test.each([
		['', [[call]]],
		// Then $fromAI() finds nothing in a retry: n8n-workflow 2.40, workflow-data-proxy.js, handleFromAi.
		[', after another call', [[send('customer-2')], [call]]],
	])('does not send again%s', async (_, calls) => {
		here.sandbox.misbehave({ kind: 'dropAfterAccepting' }, { toId: call.arguments.recipient });
		const { execution } = await converse(calls, { version: 3.1, onError: 'stopWorkflow' });
		const once = calls.flat().map(({ arguments: { recipient } }) => recipient);
		expect(accepted()).toEqual(once);

		model.willCall();
		const retried = await here.n8n.retry(execution.id);
		expect(accepted()).toEqual(once);
		expect(retried.status).toBe('error');
		expectNotToBeRepeated(retried.data.resultData.error?.message);
	});
});
