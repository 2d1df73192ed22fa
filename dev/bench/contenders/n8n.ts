import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { outputOf } from '../../engine/outputOf';
import { CREDENTIAL, NODE, TRIGGER } from '../../engine/workflows';
import type { Installation } from '../../n8n/installation';
import { startN8n } from '../../n8n/n8n';
import { N8nClient } from '../../n8n/n8nClient';
import { removeFolder, temporaryFolder, type Running } from '../../n8n/processes';
import { projectRoot } from '../../projectRoot';
import { credentialOf } from '../../sandbox/credentialOf';
import { longestStandstill, watchedForStandstill } from '../standstill';
import type { Contender, Done, N8nContenderName, Target, Work } from '../work';
import { FAR_CREDENTIAL, LAST, workflowFor } from './workflows';

/** Asking more often whether it has ended would show in the results. */
const PAUSE = 500;

/** A real n8n of its own: its database, its encrypted credentials, its files, the packed node. */
export class N8nContender implements Contender {
	private constructor(
		private readonly name: N8nContenderName,
		private readonly target: Target,
		private readonly folder: string,
		private readonly process: Running,
		private readonly client: N8nClient,
	) {}

	static async start(
		name: N8nContenderName,
		target: Target,
		installation: Installation,
	): Promise<N8nContender> {
		const folder = await temporaryFolder();
		const certificate = join(folder, 'certificate.pem');
		await writeFile(certificate, target.certificate);
		const { url, process } = await startN8n('start', {
			installation,
			folder,
			env: {
				...watchedForStandstill(folder),
				NODE_EXTRA_CA_CERTS: certificate,
				N8N_CUSTOM_EXTENSIONS: join(projectRoot, 'build', 'dev', 'bench', 'floor'),
			},
		});
		const client = await N8nClient.open(url);
		await client.addCredential('workchatApi', CREDENTIAL, credentialOf(target));
		const far = credentialOf({ ...target, url: target.farUrl });
		await client.addCredential('workchatApi', FAR_CREDENTIAL, far);
		const header = { name: 'X-Service-Key', value: target.key };
		await client.addCredential('httpHeaderAuth', 'Header Auth account', header);
		return new N8nContender(name, target, folder, process, client);
	}

	get pid(): number {
		return this.process.pid;
	}

	/** What follows after the nodes, such as saving the execution, is no part of the result. */
	async perform(work: Work): Promise<Done> {
		const { id } = await this.client.addWorkflow(workflowFor(this.name, work, this.target));
		const execution = await this.client.run(id, TRIGGER, PAUSE);
		const { data } = execution;
		if (data.resultData.error) throw new Error(`${this.name}: ${data.resultData.error.message}`);

		const items = outputOf(execution, LAST);
		const [first, last] = [NODE, LAST].map((node) => data.resultData.runData[node]?.[0]);
		if (!first || !last) throw new Error(`${this.name}: not every node of the workflow ran`);
		// Gigabytes of files go with it.
		await this.client.call('POST', 'executions/delete', { ids: [execution.id] });
		const from = first.startTime;
		const to = last.startTime + last.executionTime;
		return {
			items: items.length,
			bytes: items.reduce((sum, { binary }) => sum + (binary?.data?.bytes ?? 0), 0),
			from,
			to,
			standstill: longestStandstill(this.folder, this.pid, from, to),
		};
	}

	async stop(): Promise<void> {
		await this.process.stop();
		await removeFolder(this.folder);
	}
}
