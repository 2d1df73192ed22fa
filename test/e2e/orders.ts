import type { INodeParameters, IWorkflowSettings } from 'n8n-workflow';

import type { WorkflowJson } from '../../dev/engine/engine';
import type { Sandbox } from '../../dev/sandbox/server';
import { samples } from '../../dev/sandbox/samples';
import { CREDENTIAL, DOWNLOAD, nodeOf, recipients, SEND, VIDEO } from '../../dev/engine/workflows';

export const FILE = 'Download';
const WEBHOOK = 'Webhook';
const MESSAGE = 'Send';

/** A call of a webhook: whom to send to, and what to download then. */
export interface Order {
	toId: string;
	sample: (typeof samples)[keyof typeof samples];
}

/** The json of the downloaded file, where all went well. */
export interface Answer {
	status: number;
	file?: { fileName: string; bytes: number };
}

/** Each to a recipient of its own, the samples in turn. */
export function ordersOf(count: number): Order[] {
	const files = Object.values(samples);
	return recipients(count).map(({ toId }, index) => {
		const sample = files[index % files.length] as Order['sample'];
		return { toId, sample };
	});
}

/** Webhook → Send Feed Video → Download File → the webhook's answer. */
export function orderWorkflow(path: string, settings: IWorkflowSettings = {}): WorkflowJson {
	const workchat = (name: string, parameters: object) =>
		nodeOf(name, 'n8n-nodes-workchat.workchat', {
			parameters: parameters as INodeParameters,
			credentials: { workchatApi: { id: '1', name: CREDENTIAL } },
		});
	const webhook = { httpMethod: 'POST', path, responseMode: 'lastNode', options: {} };
	const send = {
		...SEND,
		toId: '={{ $json.body.toId }}',
		specifyFeedVideo: 'fields',
		...VIDEO,
		username: '={{ $execution.id }}', // so that each message tells where it came from
	};
	const download = { ...DOWNLOAD, file: `={{ $("${WEBHOOK}").item.json.body.file }}` };
	const to = (name: string) => ({ main: [[{ node: name, type: 'main' as const, index: 0 }]] });
	return {
		name: path,
		settings,
		nodes: [
			nodeOf(WEBHOOK, 'n8n-nodes-base.webhook', {
				typeVersion: 2,
				webhookId: path,
				parameters: webhook,
			}),
			workchat(MESSAGE, send),
			workchat(FILE, download),
		],
		connections: { [WEBHOOK]: to(MESSAGE), [MESSAGE]: to(FILE) },
	};
}

/** The ID of the execution whose message has this body. */
export const executionOf = ({ username }: Record<string, unknown>) => String(username);

/** Milliseconds; n8n notices some 70 s late that a worker died. */
const LONGEST_WAIT = 100_000;

/** Places orders, some at a time; gives the answers in the same order. */
export async function placed(
	orders: Order[],
	{ url, sandbox, atATime }: { url: string; sandbox: Sandbox; atATime: number },
): Promise<Answer[]> {
	const answers: Answer[] = [];
	const waiting = orders.entries();
	const oneAfterAnother = async () => {
		for (const [index, { toId, sample }] of waiting) {
			const response = await fetch(url, {
				method: 'POST',
				headers: { 'Content-Type': 'application/json' },
				body: JSON.stringify({ toId, file: sandbox.fieldsOf(sample) }),
				signal: AbortSignal.timeout(LONGEST_WAIT),
			}).catch((cause) => {
				throw new Error(`n8n did not answer the order of ${toId}`, { cause });
			});
			const json = (await response.json()) as Pick<Answer, 'file'>;
			answers[index] = { ...json, status: response.status };
		}
	};
	await Promise.all(Array.from({ length: atATime }, oneAfterAnother));
	return answers;
}
