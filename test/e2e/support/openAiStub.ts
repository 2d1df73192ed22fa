import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** One call of a tool that the model decides on. */
export interface ToolCall {
	/** As the model sees it: n8n makes it of the node's name. */
	tool: string;
	arguments: Record<string, unknown>;
}

export interface Message {
	role: 'system' | 'user' | 'assistant' | 'tool';
	content: string;
}

/** A stand-in for a language model, which says what a test wants it to. */
export interface OpenAiStub {
	/** For the credential's "Base URL". */
	readonly url: string;
	/** The conversations it was asked to go on with, each with all that was said before. */
	readonly conversations: Message[][];
	/** What tools have told it, in its latest conversation. */
	readonly toolMessages: string[];
	/** What it answers after its calls. */
	lastWords: string;
	/** Its next messages, each with one or more calls; its last words come after them. */
	willCall(...messages: ToolCall[][]): void;
	stop(): Promise<void>;
}

/** Speaks OpenAI's chat completions, as far as n8n's OpenAI Chat Model uses them. */
export async function startOpenAiStub(): Promise<OpenAiStub> {
	let script: ToolCall[][] = [];
	let conversations: Message[][] = [];
	let calls = 0;

	const server = createServer((request, response) => {
		void (async () => {
			const { messages, stream, parallel_tool_calls } = JSON.parse(await text(request));
			if (!request.url?.endsWith('/chat/completions') || stream) return refuse(response);
			conversations.push(messages as Message[]);
			const [first, ...more] = script[0] ?? [];
			// As OpenAI does: then it makes its calls one message after another.
			if (parallel_tool_calls === false && more.length > 0) script.splice(0, 1, [first!], more);
			const toolCalls = script.shift()?.map(({ tool, ...call }) => ({
				id: `call_${++calls}`,
				type: 'function',
				function: { name: tool, arguments: JSON.stringify(call.arguments) },
			}));
			const message = { role: 'assistant', content: toolCalls ? null : stub.lastWords };
			answer(response, 200, {
				id: 'chatcmpl-example',
				object: 'chat.completion',
				model: 'example',
				choices: [
					{
						index: 0,
						message: { ...message, ...(toolCalls && { tool_calls: toolCalls }) },
						finish_reason: toolCalls ? 'tool_calls' : 'stop',
					},
				],
				usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
			});
		})();
	}).listen(0, '127.0.0.1');
	await once(server, 'listening');

	const stub: OpenAiStub = {
		lastWords: 'Done.',
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
		get conversations() {
			return conversations;
		},
		get toolMessages() {
			const latest = conversations.at(-1) ?? [];
			return latest.filter(({ role }) => role === 'tool').map(({ content }) => content);
		},
		willCall: (...messages) => {
			script = messages;
			conversations = [];
		},
		stop: async () => {
			server.closeAllConnections();
			await once(server.close(), 'close');
		},
	};
	return stub;
}

function refuse(response: ServerResponse): void {
	answer(response, 400, { error: { message: 'Only chat completions without streaming' } });
}

function answer(response: ServerResponse, status: number, body: object): void {
	response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
