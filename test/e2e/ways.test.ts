import { randomUUID } from 'node:crypto';

import type { IDataObject, INode } from 'n8n-workflow';

import {
	CREDENTIAL,
	NODE,
	nodeOf,
	recipients,
	SEND,
	TRIGGER,
	VIDEO,
} from '../../dev/engine/workflows';
import { eventually } from './support/editor';
import { asked, customers, endsOf, errorOf, jsonOf, lose, refuse } from './support/messages';
import { useN8n } from './support/setup';
import { addTable } from './support/tables';
import { BY_HAND, chainOf, giving, publishTriggered, Workflow } from './support/workflow';

/**
 * The node started by other triggers and tools of n8n, whose differences docs/delivery.md describes, and the
 * trigger with callbacks of all content types. recipes.test.ts has callbacks with files and videos.
 */

const here = useN8n();

const KEYS = [{}, { sendOnceKey: 'spring' }];
type Ids = Record<'id' | 'executionId' | 'rawApiKey', string>;
const sends = (options: IDataObject, more: INode['parameters'] = {}, type = 'workchat') =>
	nodeOf(NODE, `n8n-nodes-workchat.${type}`, {
		parameters: { ...SEND, options: { maxTries: 1, ...options }, ...more },
		credentials: { workchatApi: { id: '1', name: CREDENTIAL } },
	});
const toolThat = (options: IDataObject) =>
	sends(options, { toId: "={{ $fromAI('recipient') }}" }, 'workchatTool');
/** The recipients that a careless model calls the tool for. */
const CALLS = customers(1, 1, 2, 3, 3);
const [SENT, REFUSED] = [/messageId/, /example reason \(code 123/];
const IN_DOUBT = /may have been sent. Do not send it again/;
const matching = (words: RegExp) => expect.stringMatching(words) as string;
beforeEach(() => {
	refuse(here, 'customer-2');
	lose(here, 'customer-3');
});

/** Calls the tool as an MCP client, for one recipient after another. Returns the results. */
async function callByMcp(path: string, toIds: string[]): Promise<string[]> {
	const accepted = 'application/json, text/event-stream';
	const headers: Record<string, string> = { Accept: accepted, 'Content-Type': 'application/json' };
	const ask = async (method: string, params: object) => {
		const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
		const response = await fetch(`${here.n8n.url}/mcp/${path}`, { method: 'POST', headers, body });
		headers['mcp-session-id'] ??= response.headers.get('mcp-session-id') ?? '';
		return await response.text();
	};
	const clientInfo = { name: 'example', version: '1' };
	await ask('initialize', { protocolVersion: '2025-03-26', capabilities: {}, clientInfo });
	const results: string[] = [];
	for (const recipient of toIds)
		results.push(await ask('tools/call', { name: NODE, arguments: { recipient } }));
	return results;
}

test.each(KEYS)(
	'an MCP client learns the outcome of each call; under a Send Once Key, nobody gets a second message: %j',
	async (options) => {
		const path = randomUUID();
		const trigger = nodeOf(TRIGGER, '@n8n/n8n-nodes-langchain.mcpTrigger', {
			typeVersion: 2,
			parameters: { path },
		});
		const connections = {
			[NODE]: { ai_tool: [[{ node: TRIGGER, type: 'ai_tool' as const, index: 0 }]] },
		};
		const nodes = [trigger, toolThat(options)];
		await (await Workflow.add(here, { name: 'MCP', nodes, connections })).publish();
		const isKept = 'sendOnceKey' in options;
		const words = [SENT, isKept ? /skipped/ : SENT, REFUSED, IN_DOUBT, isKept ? IN_DOUBT : SENT];
		expect(await callByMcp(path, CALLS)).toEqual(words.map(matching));
		expect(asked(here)).toEqual(isKept ? customers(1, 2, 3) : CALLS);
	},
);

// The version of a new Agent, and the last version that runs tools by itself.
test.each([3.1, 2.2])(
	'AI Agent %s tells the model each outcome, and repeated calls send one message',
	async (version) => {
		const { chatModel, chatModelCredential } = here.sandbox;
		const name = `Model ${version}`;
		await here.n8n.addCredential('openAiApi', name, chatModelCredential);
		// Long enough for both calls to be in flight, if the Agent runs them in parallel.
		here.sandbox.misbehave({ kind: 'delay', milliseconds: 1000 }, { toId: 'customer-1' });
		const agent = nodeOf('Agent', '@n8n/n8n-nodes-langchain.agent', {
			typeVersion: version,
			parameters: { promptType: 'define', text: 'Send the messages.' },
		});
		const chat = nodeOf('Model', '@n8n/n8n-nodes-langchain.lmChatOpenAi', {
			typeVersion: 1.2,
			parameters: { model: { __rl: true, mode: 'id', value: 'example' } },
			credentials: { openAiApi: { id: '1', name } },
		});
		const to = (type: 'main' | 'ai_tool' | 'ai_languageModel') => ({
			[type]: [[{ node: 'Agent', type, index: 0 }]],
		});
		const { id } = await here.n8n.addWorkflow({
			name: 'Agent',
			nodes: [BY_HAND, agent, chat, toolThat({})],
			connections: { [TRIGGER]: to('main'), Model: to('ai_languageModel'), [NODE]: to('ai_tool') },
			settings: { executionOrder: 'v1' }, // as in every workflow that n8n's editor makes
		});
		const callFor = (recipient = '') => ({ tool: NODE, arguments: { recipient } });
		const [twin, ...others] = customers(1, 2, 2, 3, 3).map(callFor);
		chatModel.willCall(...others.map((call) => [call]), [twin!, twin!]);
		const { status, saved } = await here.n8n.run(id, TRIGGER);
		expect([status, asked(here)]).toEqual(['success', customers(2, 2, 3, 1)]);
		const results = chatModel.toolResults;
		expect(JSON.stringify([chatModel.conversations, saved])).not.toContain(here.sandbox.key);
		expect(JSON.stringify(results)).not.toContain(VIDEO.encodeData);
		const refusal = /example reason.*code\W+123.*request.?ID\W+svc_/is;
		const doubt =
			/may (already )?have been .*(do|must) not (be )?sen[dt]( it| this message)? again/is;
		expect(results).toEqual([refusal, /svc_/, doubt, doubt, /svc_/, /svc_/].map(matching));
		expect(results[0]).not.toMatch(/may (already )?have been/i);
		expect(results[5]).toBe(results[4]);
	},
);

test("Execute step sends its input again; a Retry by n8n's public API sends only what was not sent", async () => {
	const { n8n } = here;
	const chain = chainOf('Step', BY_HAND, nodeOf('Items', '', giving(recipients(2))), sends({}));
	// With `pinData`, as n8n's editor saves it: n8n 2.41 fails without.
	const { id } = await n8n.addWorkflow({ ...chain, pinData: {} } as typeof chain);
	const { runData } = (await n8n.run(id, TRIGGER)).data.resultData;
	refuse(here, 'customer-2');
	const body = { destinationNode: { nodeName: NODE, mode: 'inclusive' }, runData };
	const { executionId } = await n8n.call<Ids>('POST', `workflows/${id}/run`, body);
	expect(errorOf(await n8n.ended(executionId))?.message).toMatch(REFUSED);
	expect(asked(here)).toEqual(customers(1, 2, 1, 2));

	const key = { label: 'Example', expiresAt: null, scopes: ['execution:retry'] };
	const { rawApiKey } = await n8n.call<Ids>('POST', 'api-keys', key);
	const retry = async () => {
		const request = { method: 'POST', headers: { 'X-N8N-API-KEY': rawApiKey } };
		const response = await fetch(`${n8n.url}/api/v1/executions/${executionId}/retry`, request);
		return await n8n.ended(((await response.json()) as Ids).id);
	};
	expect(endsOf(await retry(), NODE)).toEqual(['sent', 'sent']);
	expect(errorOf(await retry())?.message).toContain(
		'Another Retry of this execution has taken over',
	);
	expect(asked(here)).toEqual(customers(1, 2, 1, 2, 2));
});

test('in an evaluation, each row is an execution, and rows that were sent are not sent again', async () => {
	const { n8n } = here;
	const evaluation = (name: string, type: string, parameters: INode['parameters']) =>
		nodeOf(name, `n8n-nodes-base.${type}`, { typeVersion: 4.7, parameters });
	const value = await addTable(here, 'rows', recipients(3));
	const dataTableId = { __rl: true, mode: 'id', value };
	const assignments = [{ id: '1', name: 'sent', type: 'number', value: 1 }];
	const metrics = { operation: 'setMetrics', metric: 'customMetrics', metrics: { assignments } };
	const chain = chainOf(
		'Evaluation',
		evaluation(TRIGGER, 'evaluationTrigger', { source: 'dataTable', dataTableId }),
		sends({ sendOnceKey: 'spring' }),
		evaluation('Metrics', 'evaluation', metrics),
	);
	const { id } = await n8n.addWorkflow(chain);
	const evaluate = async () => {
		await n8n.call('POST', `workflows/${id}/test-runs/new`, {});
		await eventually(async () => {
			const runs = await n8n.call<Array<{ status: string }>>('GET', `workflows/${id}/test-runs`);
			expect(runs.every(({ status }) => status === 'completed')).toBe(true);
		});
		return (await n8n.executions(id)).map(({ mode, status }) => `${mode} ${status}`);
	};
	const [sent, failed] = ['evaluation success', 'evaluation error'];
	expect(await evaluate()).toEqual([failed, failed, sent]);
	expect((await evaluate()).slice(0, 3)).toEqual([failed, sent, sent]);
	expect(asked(here)).toEqual(customers(1, 2, 3, 2));
});

test('a callback of any content type starts the workflow; a GET and broken JSON start nothing', async () => {
	const received = { status: 200, text: '{"received":true}' };
	const digits = '12345678901234567890';
	const trigger = await publishTriggered(here, chainOf('Trigger', BY_HAND));
	const probe = await fetch(`${trigger.url}?probe=1`);
	expect([probe.status, await probe.text()]).toEqual([200, received.text]);
	expect(probe.headers.get('content-type')).toBe('application/json; charset=utf-8');
	expect((await trigger.post('{"broken":')).status).toBe(422); // by n8n itself
	const bodies = [
		[JSON.stringify({ any: ['thing'] }), 'application/json', { any: ['thing'] }],
		[JSON.stringify({ a: 'x=1&y' }), 'application/x-www-form-urlencoded', { a: 'x=1&y' }],
		[`{"id":${digits}}`, 'application/json', { id: digits }],
		[digits, 'application/octet-stream', digits],
	] as const;
	for (const [index, [text, type, body]] of bodies.entries()) {
		expect(await trigger.post(text, type)).toEqual(received);
		const started = (await trigger.settled(index + 1))[index];
		expect(jsonOf(started!, TRIGGER)).toMatchObject([{ body, query: {} }]);
	}
});
