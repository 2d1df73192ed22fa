import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';

import { parse } from 'flatted';
import type { INode, IRun, IRunExecutionData } from 'n8n-workflow';

import type { WorkflowJson } from '../engine/engine';

/** The owner of the n8n that is started here. The terminal shows this login: it is no secret. */
export const owner = {
	email: 'owner@example.com',
	password: ['Only', 'for', 'trying', 'out', '1'].join('-'),
	firstName: 'Example',
	lastName: 'Owner',
};

export interface Execution {
	id: string;
	status: IRun['status'];
	mode: IRun['mode'];
	data: IRunExecutionData;
	/** The data as n8n saved it. */
	saved: string;
}

type Listed = Omit<Execution, 'data' | 'saved'>;

export const BROWSER_ID = 'e2e';

interface Saved {
	id: string;
	name: string;
}

/** Completes nodes as n8n's editor does on import: with IDs of webhooks, and with a path where it is empty. */
export const withWebhooks = (nodes: INode[], webhookId?: string): INode[] =>
	nodes.map(({ parameters, ...node }) => ({
		...{ ...node, webhookId: webhookId ?? randomUUID() },
		parameters: parameters.path === '' ? { ...parameters, path: randomUUID() } : parameters,
	}));

/** A second apart. n8n answers 503 while something blocks its event loop. */
const MAX_TRIES = 60;
const MINUTES = 60_000;
/** Milliseconds; no execution here takes as long. */
const MAX_WAIT = 15 * MINUTES;

/** A client of n8n's internal REST API, which its pages use. */
export class N8nClient {
	/** The session cookie, name and value. It is valid only for a browser with {@link BROWSER_ID}. */
	cookie = '';

	private constructor(readonly url: string) {}

	/** Logs in as the owner, who is set up first if there is none. */
	static async open(url: string): Promise<N8nClient> {
		const client = new N8nClient(url);
		type Settings = { userManagement: { showSetupOnFirstLoad: boolean } };
		const { userManagement } = await client.call<Settings>('GET', 'settings');
		if (userManagement.showSetupOnFirstLoad) await client.call('POST', 'owner/setup', owner);
		const { email, password } = owner;
		await client.call('POST', 'login', { emailOrLdapLoginId: email, password });
		return client;
	}

	async call<T>(method: string, path: string, body?: object): Promise<T> {
		const response = await this.request(method, path, body);
		const [cookie] = response.headers.getSetCookie();
		if (cookie) this.cookie = cookie.split(';')[0] ?? '';
		return ((await response.json()) as { data: T }).data;
	}

	async request(method: string, path: string, body?: object): Promise<Response> {
		const headers = { 'Content-Type': 'application/json', 'browser-id': BROWSER_ID };
		const ask = async () =>
			await fetch(`${this.url}/rest/${path}`, {
				method,
				signal: AbortSignal.timeout(3 * MINUTES),
				headers: { ...headers, Cookie: this.cookie },
				body: body && JSON.stringify(body),
			});
		for (let tries = 1; ; tries++) {
			// A busy n8n may close an idle connection at the moment in which it is used again.
			const response = await (method === 'GET' ? ask().catch(ask) : ask()).catch((cause) => {
				throw new Error(`${method} ${path}: no response`, { cause });
			});
			if (response.ok) return response;
			if (method !== 'GET' || response.status !== 503 || tries === MAX_TRIES)
				throw new Error(`${method} ${path}: HTTP ${response.status} ${await response.text()}`);
			await wait(1000);
		}
	}

	async addCredential(type: string, name: string, data: object): Promise<Saved> {
		return await this.call('POST', 'credentials', { name, type, data });
	}

	async credentials(): Promise<Saved[]> {
		return await this.call('GET', 'credentials');
	}

	async addWorkflow(workflow: WorkflowJson): Promise<Saved & { versionId: string }> {
		const nodes = await this.withCredentials(workflow.nodes);
		return await this.call('POST', 'workflows', { settings: {}, ...workflow, nodes });
	}

	/** Replaces its nodes, connections and settings. */
	async editWorkflow(id: string, workflow: WorkflowJson): Promise<void> {
		const { versionId } = await this.call<{ versionId: string }>('GET', `workflows/${id}`);
		const nodes = await this.withCredentials(workflow.nodes);
		const { connections, settings } = workflow;
		await this.call('PATCH', `workflows/${id}`, { versionId, nodes, connections, settings });
	}

	/** Adds the IDs of credentials by their names, as n8n assigns the IDs. */
	private async withCredentials(nodes: INode[]): Promise<INode[]> {
		const ids = new Map((await this.credentials()).map(({ id, name }) => [name, id]));
		return nodes.map((node) => {
			const chosen = Object.entries(node.credentials ?? {}).map(([type, { name }]) => {
				const id = ids.get(name);
				if (!id) throw new Error(`There is no credential named ${name}`);
				return [type, { id, name }];
			});
			return { ...node, credentials: Object.fromEntries(chosen) };
		});
	}

	async workflows(): Promise<Saved[]> {
		return await this.call('GET', 'workflows');
	}

	/** Resolves when its webhooks and triggers work: n8n registers them after its response. */
	async publish({ id, versionId }: { id: string; versionId: string }): Promise<void> {
		await this.call('POST', `workflows/${id}/activate`, { versionId });
		const ask = async () =>
			await this.call<{ status: string }>('GET', `workflows/${id}/publication-status`);
		const { status } = await untilFinished(`workflow ${id}`, ask);
		if (status !== 'published') throw new Error(`Workflow ${id} is ${status}`);
	}

	/** Like a click on "Execute workflow". Resolves when the execution has ended. */
	async run(workflowId: string, triggerName: string): Promise<Execution> {
		return await this.ended(await this.begin(workflowId, triggerName));
	}

	/** The same, but resolves to the execution's ID when it has started. */
	async begin(workflowId: string, triggerName: string): Promise<string> {
		const path = `workflows/${workflowId}/run`;
		const from = { triggerToStartFrom: { name: triggerName } };
		return (await this.call<{ executionId: string }>('POST', path, from)).executionId;
	}

	/** "Retry with currently saved workflow". */
	async retry(executionId: string): Promise<Execution> {
		const path = `executions/${executionId}/retry`;
		const { id } = await this.call<{ id: string }>('POST', path, { loadWorkflow: true });
		return await this.ended(id);
	}

	async execution(id: string): Promise<Execution> {
		const { data, ...rest } = await this.call<Listed & { data: string }>('GET', `executions/${id}`);
		return { ...rest, id, data: parse(data) as IRunExecutionData, saved: data };
	}

	/** The latest 100, without their data: first those in progress, then the others. */
	async executions(workflowId: string): Promise<Listed[]> {
		const query = new URLSearchParams({ limit: '100', filter: JSON.stringify({ workflowId }) });
		return (await this.call<{ results: Listed[] }>('GET', `executions?${query}`)).results;
	}

	async ended(id: string): Promise<Execution> {
		return await untilFinished(`execution ${id}`, async () => await this.execution(id));
	}
}

/** Of executions, and of a workflow that is being published. */
const UNFINISHED = ['new', 'running', 'waiting', 'in_progress'];

/** Asks until the status is final. Fails after 15 minutes. */
async function untilFinished<T extends { status: string }>(
	what: string,
	ask: () => Promise<T>,
): Promise<T> {
	const deadline = Date.now() + MAX_WAIT;
	for (;;) {
		const answer = await ask();
		if (!UNFINISHED.includes(answer.status)) return answer;
		if (Date.now() > deadline)
			throw new Error(`After 15 minutes, ${what} is still ${answer.status}`);
		await wait(100);
	}
}
