import { setTimeout as wait } from 'node:timers/promises';

import { parse } from 'flatted';
import type { INode, IRun, IRunExecutionData } from 'n8n-workflow';

import type { WorkflowJson } from '../engine/engine';

const told = 'Only-for-trying-out-1';

/** Who owns the n8n that is started here: no secret, it is told to the user. */
export const owner = {
	email: 'owner@example.com',
	password: told,
	firstName: 'Example',
	lastName: 'Owner',
};

export interface Execution {
	id: string;
	status: IRun['status'];
	mode: IRun['mode'];
	data: IRunExecutionData;
	/** As n8n saved it. */
	saved: string;
}

type Listed = Omit<Execution, 'data' | 'saved'>;

export const BROWSER_ID = 'e2e';

interface Saved {
	id: string;
	name: string;
}

/** A second apart: n8n says 503 where something has held its event loop for long. */
const MOST_TRIES = 60;
const MINUTES = 60_000;
/** Milliseconds; what is asked for here takes less. */
const LONGEST_WAIT = 15 * MINUTES;

/** Speaks to n8n's own REST interface, as its pages do. */
export class N8nClient {
	/** The session's, name and value, for browsers with {@link BROWSER_ID} alone. */
	cookie = '';

	private constructor(readonly url: string) {}

	/** Sets up the owner, or logs in when there is one. */
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
			// A busy n8n may close an idle connection just when it is used again.
			const response = await (method === 'GET' ? ask().catch(ask) : ask()).catch((cause) => {
				throw new Error(`${method} ${path}: no answer`, { cause });
			});
			if (response.ok) return response;
			if (method !== 'GET' || response.status !== 503 || tries === MOST_TRIES)
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

	/** Saves it anew. */
	async editWorkflow(id: string, workflow: WorkflowJson): Promise<void> {
		const { versionId } = await this.call<{ versionId: string }>('GET', `workflows/${id}`);
		const nodes = await this.withCredentials(workflow.nodes);
		const { connections, settings } = workflow;
		await this.call('PATCH', `workflows/${id}`, { versionId, nodes, connections, settings });
	}

	/** Adds the IDs of credentials, which n8n gives, by their names. */
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

	/** Resolves when its webhooks and triggers work: n8n sees to them after it has answered. */
	async publish({ id, versionId }: { id: string; versionId: string }): Promise<void> {
		await this.call('POST', `workflows/${id}/activate`, { versionId });
		const ask = async () =>
			await this.call<{ status: string }>('GET', `workflows/${id}/publication-status`);
		const { status } = await whileUnderWay(`workflow ${id}`, ask);
		if (status !== 'published') throw new Error(`Workflow ${id} is ${status}`);
	}

	/** Like a click on "Execute workflow"; resolves when it has ended. */
	async run(workflowId: string, triggerName: string): Promise<Execution> {
		return await this.ended(await this.begin(workflowId, triggerName));
	}

	/** The same; resolves to the execution's ID when it has begun. */
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

	/** The latest 100: those under way, then the ended ones. Without their data. */
	async executions(workflowId: string): Promise<Listed[]> {
		const query = new URLSearchParams({ limit: '100', filter: JSON.stringify({ workflowId }) });
		return (await this.call<{ results: Listed[] }>('GET', `executions?${query}`)).results;
	}

	async ended(id: string): Promise<Execution> {
		return await whileUnderWay(`execution ${id}`, async () => await this.execution(id));
	}
}

/** The status of executions, and of a workflow that is being published. */
const UNDER_WAY = ['new', 'running', 'waiting', 'in_progress'];

/** Asks again while something is under way, and gives up some time. */
async function whileUnderWay<T extends { status: string }>(
	what: string,
	ask: () => Promise<T>,
): Promise<T> {
	const deadline = Date.now() + LONGEST_WAIT;
	for (;;) {
		const answer = await ask();
		if (!UNDER_WAY.includes(answer.status)) return answer;
		if (Date.now() > deadline) throw new Error(`Gave up ${what}: still ${answer.status}`);
		await wait(100);
	}
}
