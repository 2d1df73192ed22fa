import type { INodeParameters } from 'n8n-workflow';

import { CREDENTIAL, nodeOf, SEND, TRIGGER, VIDEO } from '../../dev/engine/workflows';
import { asked, customers, lose, refuse } from './support/messages';
import { OpenAiStub } from './support/openAiStub';
import { useN8n } from './support/setup';
import { BY_HAND } from './support/workflow';

/** An AI agent has the node as its only tool, and calls it as models do. */

const here = useN8n();

let model: OpenAiStub;
beforeAll(async () => {
	model = await OpenAiStub.start();
	await here.n8n.addCredential('openAiApi', 'Model', { apiKey: 'fake-key', url: model.url });
});

const TOOL = 'Workchat';
const callFor = (recipient: string) => ({ tool: TOOL, arguments: { recipient } });

/** Runs an agent whose model makes these calls, one message after another; gives what it was told. */
async function converse(typeVersion: number, ...calls: Parameters<OpenAiStub['willCall']>) {
	const to = (type: 'main' | 'ai_tool' | 'ai_languageModel') => ({
		[type]: [[{ node: 'Agent', type, index: 0 }]],
	});
	const send: INodeParameters = { ...SEND, toId: "={{ $fromAI('recipient', '', 'string') }}" };
	const { id } = await here.n8n.addWorkflow({
		name: 'Agent',
		nodes: [
			BY_HAND,
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
				parameters: send,
				credentials: { workchatApi: { id: '1', name: CREDENTIAL } },
			}),
		],
		connections: { [TRIGGER]: to('main'), Model: to('ai_languageModel'), [TOOL]: to('ai_tool') },
		settings: { executionOrder: 'v1' }, // as in every workflow that n8n's editor makes
	});
	model.willCall(...calls);
	const { status, saved } = await here.n8n.run(id, TRIGGER);
	const told = model.toolMessages;
	expect(status).toBe('success');
	expect(JSON.stringify([model.conversations, saved])).not.toContain(here.sandbox.key);
	expect(JSON.stringify(told)).not.toContain(VIDEO.encodeData);
	return told;
}

// The version that n8n takes for a new Agent, and the last of those that run a tool by themselves.
test.each([3.1, 2.2])(
	'AI Agent %s: the model learns what became of each, and repeats nothing',
	async (version) => {
		refuse(here, 'customer-1');
		lose(here, 'customer-2');
		// Long enough for both to be under way where the Agent runs them at once.
		here.sandbox.misbehave({ kind: 'delay', milliseconds: 1000 }, { toId: 'customer-3' });
		const calls = customers(1, 1, 2, 2).map((toId) => [callFor(toId)]);
		const twins = [callFor('customer-3'), callFor('customer-3')];
		const [refusal, sent, lost, repeated, ...told] = await converse(version, ...calls, twins);
		expect(asked(here)).toEqual(customers(1, 1, 2, 3));
		expect(refusal).toContain('example reason');
		expect(refusal).toMatch(/code\W+123/);
		expect(refusal).toMatch(/request.?ID\W+svc_/i);
		expect(refusal).not.toMatch(/may (already )?have been/i);
		expect(sent).toMatch(/svc_/);
		for (const words of [lost, repeated]) {
			expect(words).toMatch(/may (already )?have been (sent|done)/i);
			expect(words).toMatch(/(do|must) not (be )?(send|sent)( it| this message)? again/i);
		}
		expect(told).toEqual([expect.stringMatching(/svc_/), told[0]]);
	},
);
