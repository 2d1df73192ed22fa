import type { WorkflowExecute } from 'n8n-core';
import type { INode, IRun, Workflow } from 'n8n-workflow';

import { Container, coreRequire } from './coreEnvironment';

/** The differences of the engines of n8n 1 and 2.0. */

type Execution = Promise<IRun> & { cancel(): void };
type OlderExecute = { run(workflow: Workflow, startNode?: INode): Execution };

/** Older versions take the arguments one by one, newer ones in an object. */
export function startRun(
	execute: WorkflowExecute,
	workflow: Workflow,
	startNode?: INode,
): Execution {
	if (execute.run.length === 1) return execute.run({ workflow, startNode });
	return (execute as unknown as OlderExecute).run(workflow, startNode);
}

/** Older versions have a timer for SSH connections that keeps the process alive. */
export function stopSshTimer(): void {
	const { SSHClientsManager } = coreRequire('./execution-engine/ssh-clients-manager') as {
		SSHClientsManager: new () => { onShutdown(): void };
	};
	Container.get(SSHClientsManager).onShutdown();
}
