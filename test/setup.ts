import type { INode, INodeParameters, IRun } from 'n8n-workflow';

import { Engine, outputOf, type WorkflowJson } from '../engine/engine';
import type { Sample } from '../sandbox/samples';
import { startSandbox, type DownloadAnswer, type Sandbox } from '../sandbox/server';

/** Recognisable, so that it can be looked for where it must not be. */
export const KEY = ['fake', 'workchat', 'key', '0123456789'].join('-');
export const INSTANCE = 'default-instance';
export const TRIGGER = 'Trigger';
export const NODE = 'Workchat';

/** A sandbox and an engine whose credential leads to it. */
export interface Bench {
	sandbox: Sandbox;
	engine: Engine;
}

/** The bench of a test file: started before its tests, reset before each, stopped after all. */
export function useBench(): Bench {
	const bench = {} as Bench;
	beforeAll(async () => {
		bench.sandbox = await startSandbox({ key: KEY });
		const credential = { apiKey: KEY, baseUrl: bench.sandbox.url, defaultInstanceGuid: INSTANCE };
		bench.engine = await Engine.start({ credential });
	});
	beforeEach(() => bench.sandbox.reset());
	afterAll(async () => {
		await bench.engine.stop();
		await bench.sandbox.stop();
	});
	return bench;
}

type Json = Record<string, unknown>;

/** Settings of our node beside its parameters. */
export type NodeSettings = Partial<
	Pick<INode, 'onError' | 'retryOnFail' | 'maxTries' | 'waitBetweenTries'>
>;

/** Items → our node → a node on each of its outputs, which keeps error outputs alive. */
export function workflowOf(
	items: Json[],
	parameters: Json,
	settings: NodeSettings = {},
): WorkflowJson {
	const node = (name: string, type: string, more: Partial<INode> = {}): INode => ({
		id: name,
		name,
		type,
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
		...more,
	});
	const to = (name: string) => [{ node: name, type: 'main' as const, index: 0 }];
	return {
		name: 'Test',
		nodes: [
			node(TRIGGER, 'n8n-nodes-base.manualTrigger'),
			node('Items', 'n8n-nodes-base.set', {
				parameters: { jsonOutput: JSON.stringify({ items }) },
			}),
			node('Split', 'n8n-nodes-base.splitOut', { parameters: { fieldToSplitOut: 'items' } }),
			node(NODE, 'n8n-nodes-workchat.workchat', {
				parameters: parameters as INodeParameters,
				credentials: { workchatApi: { id: '1', name: 'Workchat account' } },
				...settings,
			}),
			node('After', 'n8n-nodes-base.noOp'),
			node('Failed', 'n8n-nodes-base.noOp'),
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

/** The workflow with a Loop Over Items around our node, one item at a time. */
export function looped(workflow: WorkflowJson): WorkflowJson {
	const to = (node: string) => [{ node, type: 'main' as const, index: 0 }];
	return {
		...workflow,
		nodes: workflow.nodes.map((node) =>
			node.name === 'After' ? { ...node, type: 'n8n-nodes-base.splitInBatches' } : node,
		),
		connections: {
			...workflow.connections,
			Split: { main: [to('After')] },
			After: { main: [[], to(NODE)] },
		},
	};
}

export interface DownloadOptions {
	/** How the sandbox answers. */
	answer?: DownloadAnswer;
	/** Of the Options collection. */
	options?: object;
	parameters?: object;
}

/** Downloads samples of the sandbox, in one try unless told, and reads what n8n stored. */
export async function downloadSamples(
	{ sandbox, engine }: Bench,
	wanted: Sample[],
	{ answer, options, parameters }: DownloadOptions,
) {
	if (answer) sandbox.answerDownloads(answer);
	const items = wanted.map((sample) => ({ ...sandbox.fieldsOf(sample) }));
	const all = { ...DOWNLOAD, options: { maxTries: 1, timeout: 10_000, ...options }, ...parameters };
	const run = await engine.run(workflowOf(items, all));
	const files = await Promise.all(
		resultOf(run).items.map(
			async ({ binary }) => binary?.data && (await engine.bytesOf(binary.data)),
		),
	);
	return { run, files, ...resultOf(run) };
}

/** What our node put out, or the error it stopped with. */
export function resultOf(run: IRun) {
	const { error } = run.data.resultData;
	return { items: outputOf(run, NODE), errorItems: outputOf(run, NODE, 1), error };
}
