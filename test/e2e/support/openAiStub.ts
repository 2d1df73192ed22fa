import { json } from 'node:stream/consumers';

import { serve } from './servers';

/** One call of a tool that the model decides on, by the name that n8n makes of the node's. */
type ToolCall = { tool: string; arguments: Record<string, unknown> };

type Message = Record<'role' | 'content', string>;

/** A stand-in for a language model, which says what a test wants it to. */
export class OpenAiStub {
	/** For the credential's "Base URL". */
	url = '';
	/** The conversations it was asked to go on with, each with all that was said before. */
	conversations: Message[][] = [];
	/** What it answers after its calls. */
	readonly lastWords = 'Done.';
	private script: ToolCall[][] = [];
	private calls = 0;

	/** Until the tests of the file have ended. */
	static async start(): Promise<OpenAiStub> {
		const stub = new OpenAiStub();
		const origin = await serve(async (request, response) => {
			const { messages } = (await json(request)) as { messages: Message[] };
			stub.conversations.push(messages);
			response.setHeader('Content-Type', 'application/json').end(JSON.stringify(stub.next()));
		});
		stub.url = `${origin}/v1`;
		return stub;
	}

	/** What tools have told it, in its latest conversation. */
	get toolMessages(): string[] {
		const latest = this.conversations.at(-1) ?? [];
		return latest.filter(({ role }) => role === 'tool').map(({ content }) => content);
	}

	/** Its next messages, each with one or more calls; its last words come after them. */
	willCall(...messages: ToolCall[][]): void {
		this.script = messages;
		this.conversations = [];
	}

	/** One of OpenAI's chat completions, as far as n8n's OpenAI Chat Model uses them. */
	private next() {
		const tool_calls = this.script.shift()?.map(({ tool, ...call }) => ({
			id: `call_${++this.calls}`,
			type: 'function',
			function: { name: tool, arguments: JSON.stringify(call.arguments) },
		}));
		const content = tool_calls ? null : this.lastWords;
		const finish_reason = tool_calls ? 'tool_calls' : 'stop';
		const message = { role: 'assistant', content, tool_calls };
		const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
		const completion = { id: 'example', object: 'chat.completion', model: 'example', usage };
		return { ...completion, choices: [{ index: 0, message, finish_reason }] };
	}
}
