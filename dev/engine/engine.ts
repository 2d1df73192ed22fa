import { Container, userFolder } from './coreEnvironment';

import { rm } from 'node:fs/promises';

import { parse, stringify } from 'flatted';
import {
	BinaryDataConfig,
	BinaryDataService,
	DataDeduplicationService,
	ExecutionLifecycleHooks,
	WorkflowExecute,
} from 'n8n-core';
import {
	Workflow,
	type IBinaryData,
	type ICredentialDataDecryptedObject,
	type IDataDeduplicator,
	type IRun,
	type IRunExecutionData,
	type IWorkflowBase,
	type IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';

import { CredentialsHelper } from './credentialsHelper';
import { NodeTypes } from './nodeTypes';
import { startRun, stopSshTimer } from './olderVersions';

/** The content of an example file or of an export from n8n. */
export type WorkflowJson = Pick<IWorkflowBase, 'name' | 'nodes' | 'connections' | 'settings'>;

interface EngineOptions {
	/** The credential of every node. */
	credential: ICredentialDataDecryptedObject;
	/** `default` keeps files in memory, base64-encoded. */
	binaryMode?: 'filesystem' | 'default';
}

/** n8n-core in this process, with the built package of this checkout. */
export class Engine {
	/** Where binary files are stored in filesystem mode. */
	readonly storagePath = `${userFolder}/storage`;
	/** For the next runs. Executions of the same workflow share their rows in the deduplication store. */
	workflowId = 'workflow';
	/** The deduplication store for the next runs. n8n-core itself has none. */
	deduplicator: IDataDeduplicator | undefined;
	private executions = 0;

	private constructor(
		private readonly nodeTypes: NodeTypes,
		private readonly credentialsHelper: CredentialsHelper,
	) {}

	static async start({ credential, binaryMode = 'filesystem' }: EngineOptions): Promise<Engine> {
		const nodeTypes = await NodeTypes.load();
		const engine = new Engine(nodeTypes, new CredentialsHelper(nodeTypes, credential));
		const config = Container.get(BinaryDataConfig);
		config.mode = binaryMode;
		config.localStoragePath = engine.storagePath;
		await Container.get(BinaryDataService).init();
		stopSshTimer();
		return engine;
	}

	/** Runs a workflow from its trigger. Resolves also where the run failed. */
	async run(workflow: WorkflowJson): Promise<IRun> {
		return await this.begin(workflow).finished;
	}

	begin(json: WorkflowJson) {
		const workflow = this.workflowOf(json);
		const startNode = workflow.getStartNode();
		const execute = new WorkflowExecute(this.additionalData(json), 'manual');
		useDeduplication(this.deduplicator);
		const execution = startRun(execute, workflow, startNode);
		return { finished: Promise.resolve(execution), cancel: () => execution.cancel() };
	}

	/**
	 * n8n's "Retry with currently saved workflow" in the list of executions. It continues at the node that
	 * failed, with the data that n8n saved (`retryExecution` in n8n's execution.service.ts).
	 */
	async retry(json: WorkflowJson, failed: IRun): Promise<IRun> {
		const data = parse(stringify(failed.data)) as IRunExecutionData;
		const workflow = this.workflowOf(json);
		const { lastNodeExecuted, runData } = data.resultData;
		delete data.resultData.error;
		if (lastNodeExecuted) runData[lastNodeExecuted]?.pop();
		for (const waiting of data.executionData?.nodeExecutionStack ?? []) {
			// As n8n does, with default values of missing parameters (n8n-workflow 2.41, Workflow).
			waiting.node = workflow.getNode(waiting.node.name) ?? waiting.node;
		}
		const execute = new WorkflowExecute(this.additionalData(json), 'retry', data);
		useDeduplication(this.deduplicator);
		return await execute.processRunExecutionData(workflow);
	}

	/** The bytes of a binary output. */
	async bytesOf(binary: IBinaryData): Promise<Buffer> {
		return await Container.get(BinaryDataService).getAsBuffer(binary);
	}

	/** Removes everything that was written. */
	async stop(): Promise<void> {
		await rm(userFolder, { recursive: true, force: true });
	}

	private workflowOf({ name, nodes, connections, settings }: WorkflowJson): Workflow {
		return new Workflow({
			id: this.workflowId,
			name,
			// Sticky notes are never executed.
			nodes: structuredClone(nodes.filter(({ type }) => !type.endsWith('.stickyNote'))),
			connections,
			active: false,
			nodeTypes: this.nodeTypes,
			settings: { executionOrder: 'v1', ...settings },
		});
	}

	private additionalData(json: WorkflowJson): IWorkflowExecuteAdditionalData {
		const executionId = String(++this.executions);
		const workflowData = { ...json, id: this.workflowId, active: false } as IWorkflowBase;
		return {
			executionId,
			credentialsHelper: this.credentialsHelper,
			hooks: new ExecutionLifecycleHooks('manual', executionId, workflowData),
			currentNodeExecutionIndex: 0,
			webhookWaitingBaseUrl: 'http://localhost:5678',
			formWaitingBaseUrl: 'http://localhost:5678',
			variables: {},
		} as unknown as IWorkflowExecuteAdditionalData;
	}
}

/** Sets the deduplication store of the next run. Without one, n8n-core's helpers throw. */
function useDeduplication(deduplicator?: IDataDeduplicator): void {
	// n8n-core allows one for each process (2.41.1, data-deduplication-service).
	(DataDeduplicationService as unknown as { instance?: unknown }).instance = undefined;
	if (deduplicator) void DataDeduplicationService.init(deduplicator);
}
