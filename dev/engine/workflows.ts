import type { INode, INodeExecutionData, INodeParameters, IRun } from 'n8n-workflow';

import type { WorkflowJson } from './engine';

export const TRIGGER = 'Trigger';
export const NODE = 'Workchat';
export const CREDENTIAL = 'Workchat account';

type Json = Record<string, unknown>;

const to = (node: string) => [{ node, type: 'main' as const, index: 0 }];

/** Settings of our node, except for its parameters. */
export type NodeSettings = Partial<INode>;

/** A node with its name as its ID. */
export function nodeOf(name: string, type: string, more: Partial<INode> = {}): INode {
	return { id: name, name, type, typeVersion: 1, position: [0, 0], parameters: {}, ...more };
}

/** Items → our node → a node at each of its outputs, as n8n drops an error output without one. */
export function workflowOf(
	items: Json[],
	parameters: Json,
	settings: NodeSettings = {},
): WorkflowJson {
	return {
		name: 'Test',
		nodes: [
			nodeOf(TRIGGER, 'n8n-nodes-base.manualTrigger'),
			nodeOf('Items', 'n8n-nodes-base.set', {
				typeVersion: 3.4,
				parameters: { mode: 'raw', jsonOutput: JSON.stringify({ items }), options: {} },
			}),
			nodeOf('Split', 'n8n-nodes-base.splitOut', { parameters: { fieldToSplitOut: 'items' } }),
			nodeOf(NODE, 'n8n-nodes-workchat.workchat', {
				parameters: parameters as INodeParameters,
				credentials: { workchatApi: { id: '1', name: CREDENTIAL } },
				...settings,
			}),
			nodeOf('After', 'n8n-nodes-base.noOp'),
			nodeOf('Failed', 'n8n-nodes-base.noOp'),
		],
		connections: {
			[TRIGGER]: { main: [to('Items')] },
			Items: { main: [to('Split')] },
			Split: { main: [to(NODE)] },
			[NODE]: { main: [to('After'), to('Failed')] },
		},
	};
}

export const VIDEO = {
	channelName: 'Example Channel',
	channelUrl: 'https://example.com/channel',
	coverUrl: 'https://example.com/cover.jpg?size=large',
	encodeData: 'secret-encode-data',
	headImgUrl: 'https://example.com/head.jpg',
	feedId: 'fake-feed-id',
	feedNo: 'fake-feed-no',
	username: 'fake-username',
};

/** Parameters that send {@link VIDEO} to the `toId` of each item. */
export const SEND = {
	resource: 'message',
	operation: 'sendFeedVideo',
	toId: '={{ $json.toId }}',
	specifyFeedVideo: 'json',
	feedVideo: JSON.stringify(VIDEO),
};

/** Parameters that download the file described by each item. */
export const DOWNLOAD = {
	resource: 'file',
	operation: 'download',
	specifyFile: 'json',
	file: '={{ $json }}',
};

export function recipients(count: number): Array<{ toId: string }> {
	return Array.from({ length: count }, (_, index) => ({ toId: `customer-${index + 1}` }));
}

/** The workflow with a Loop Over Items around our node, one item at a time, which continues on errors. */
export function looped(workflow: WorkflowJson): WorkflowJson {
	return {
		...workflow,
		nodes: workflow.nodes.map((node) =>
			node.name === 'After' ? { ...node, type: 'n8n-nodes-base.splitInBatches' } : node,
		),
		connections: {
			...workflow.connections,
			Split: { main: [to('After')] },
			[NODE]: { main: [to('After'), to('After')] },
			After: { main: [[], to(NODE)] },
		},
	};
}

/** The items that a node output in its last run. */
export function outputOf(
	{ data }: Pick<IRun, 'data'>,
	nodeName: string,
	output = 0,
): INodeExecutionData[] {
	return data.resultData.runData[nodeName]?.at(-1)?.data?.main?.[output] ?? [];
}
