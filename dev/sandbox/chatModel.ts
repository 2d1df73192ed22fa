import type { FastifyInstance } from 'fastify';

/** One call of a tool that the model decides on, by the name that n8n makes of the node's. */
interface ToolCall {
	tool: string;
	arguments: object;
}

interface Schema {
	type?: string;
	properties?: Record<string, Schema>;
}

/** What n8n's OpenAI Chat Model posts to OpenAI's chat completions, as far as it is used here. */
interface Conversation {
	messages: Array<{ role: string; content: string | Array<{ text?: string }> }>;
	tools?: Array<{ function: { name: string; parameters: Schema } }>;
}

const ID = String.raw`[\w.:@+=/~-]*[\w=/~]`;
const BETWEEN = String.raw`(?:\s*[,，、&和]\s*|\s+and\s+)`;
/** "Send the video to customer-1", also with several recipients, and in Chinese. */
const RECIPIENTS = new RegExp(String.raw`(?:\bto\b|给)[\s:：]*(${ID}(?:${BETWEEN}${ID})*)`, 'gi');

/**
 * A chat model that needs no account and no paid key. It follows fixed rules: if the latest message names
 * one recipient, it calls the first tool with that ID; if that is a tool's result, it reports the result.
 * A test may decide instead which calls it makes.
 */
export class ChatModel {
	/** Every conversation that it was asked to continue, with all of its messages. */
	conversations: Array<Conversation['messages']> = [];
	private script: ToolCall[][] = [];
	private calls = 0;

	/** Decides its next messages, each with one or more calls. After them, the rules apply. */
	willCall(...messages: ToolCall[][]): void {
		this.script = messages;
		this.conversations = [];
	}

	/** The results of tools, in its latest conversation. */
	get toolResults(): string[] {
		const latest = this.conversations.at(-1) ?? [];
		return latest.filter(({ role }) => role === 'tool').map(textOf);
	}

	/** The next message of a conversation, as OpenAI's API returns it. */
	complete(conversation: Conversation) {
		this.conversations.push(conversation.messages);
		const next = this.script.shift() ?? nextOf(conversation);
		const isText = typeof next === 'string';
		const message = {
			role: 'assistant',
			content: isText ? next : null,
			tool_calls: isText ? undefined : next.map((call) => this.callOf(call)),
		};
		const finish_reason = isText ? 'stop' : 'tool_calls';
		const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
		const completion = { id: 'simulated', object: 'chat.completion', model: 'simulated', usage };
		return { ...completion, choices: [{ index: 0, message, finish_reason }] };
	}

	private callOf({ tool, arguments: given }: ToolCall) {
		const called = { name: tool, arguments: JSON.stringify(given) };
		return { id: `call_${++this.calls}`, type: 'function', function: called };
	}
}

/** What the rules say: a text, or calls. */
function nextOf({ messages, tools = [] }: Conversation): string | ToolCall[] {
	const asked = messages.filter(({ role }) => role === 'user').map(textOf);
	const [, recipients = ''] = [...(asked.at(-1) ?? '').matchAll(RECIPIENTS)].at(-1) ?? [];
	const [recipient, ...others] = recipients.split(new RegExp(BETWEEN));
	const latest = messages.at(-1);
	if (latest?.role === 'tool') return reportOf(textOf(latest), recipient);
	if (!recipient) return 'Who gets the video? Write, for example: Send the video to customer-1';
	if (others.length > 0) return 'Nothing was sent. Please name one recipient in each message.';
	const [tool] = tools;
	if (!tool) return 'Nothing was sent: the agent has no tool for it.';
	const { name, parameters } = tool.function;
	return [{ tool: name, arguments: filled(parameters, recipient) as object }];
}

/** The arguments that a tool's schema describes, with the recipient as every text. */
function filled({ type, properties = {} }: Schema, recipient: string): unknown {
	if (type !== 'object') return recipient;
	const entries = Object.entries(properties);
	return Object.fromEntries(entries.map(([name, each]) => [name, filled(each, recipient)]));
}

function reportOf(result: string, recipient = 'this recipient'): string {
	// The words in which n8n reports a click on Decline (n8n 2.41, processHitlResponses.js).
	if (result.includes('User rejected the tool call'))
		return 'Nothing was sent, because you declined.';
	const [, status] = /"status":\s*"(\w+)"/.exec(result) ?? [];
	const [, reason] = /"reason":\s*"([^"]+)"/.exec(result) ?? [];
	if (!status) return `The tool returned: ${result}`;
	return `The tool reports for ${recipient}: ${[status, reason].filter(Boolean).join(', ')}.`;
}

function textOf({ content }: Conversation['messages'][number]): string {
	return typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('');
}

/** The model, at the paths of OpenAI's API. Whatever key is sent is accepted, and no call is shown. */
export function serveChatModel(app: FastifyInstance, state: { chatModel: ChatModel }): void {
	const config = { isHidden: true } as const;
	app.get('/v1/models', { config }, () => ({ object: 'list', data: [{ id: 'simulated' }] }));
	app.post<{ Body: Conversation }>('/v1/chat/completions', { config }, ({ body }) =>
		state.chatModel.complete(body),
	);
}
