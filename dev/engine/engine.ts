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

/** What an example file or an n8n export holds. */
export type WorkflowJson = Pick<IWorkflowBase, 'name' | 'nodes' | 'connections' | 'settings'>;

interface EngineOptions {
	/** Every node has this one. */
	credential: ICredentialDataDecryptedObject;
	/** `default` keeps files in memory, base64-encoded. */
	binaryMode?: 'filesystem' | 'default';
}

/** n8n-core in this process, with the built package of this checkout. */
export class Engine {
	/** Where binary files are stored in filesystem mode. */
	readonly storagePath = `${userFolder}/storage`;
	/** From the next run on: executions of the same workflow share what n8n remembers. */
	workflowId = 'workflow';
	/** What n8n remembers for nodes, from the next run on; n8n-core alone remembers nothing. */
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
	 * n8n's "Retry with currently saved workflow" in the list of executions: goes on where it failed,
	 * with what n8n saved of it (`retryExecution` in n8n's execution.service.ts).
	 */
	async retry(json: WorkflowJson, failed: IRun): Promise<IRun> {
		const data = parse(stringify(failed.data)) as IRunExecutionData;
		const workflow = this.workflowOf(json);
		const { lastNodeExecuted, runData } = data.resultData;
		delete data.resultData.error;
		if (lastNodeExecuted) runData[lastNodeExecuted]?.pop();
		for (const waiting of data.executionData?.nodeExecutionStack ?? []) {
			// As n8n takes it, with the defaults of its parameters (n8n-workflow 2.41, Workflow).
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
			// A note on the canvas runs nowhere.
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

/** Lets the helpers of the next run use this store; without one, n8n-core throws as it does alone. */
function useDeduplication(deduplicator?: IDataDeduplicator): void {
	// n8n-core allows one for each process (2.41.1, data-deduplication-service).
	(DataDeduplicationService as unknown as { instance?: unknown }).instance = undefined;
	if (deduplicator) void DataDeduplicationService.init(deduplicator);
}
