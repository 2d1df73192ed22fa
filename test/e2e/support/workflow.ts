import { randomUUID } from 'node:crypto';

import type { INode } from 'n8n-workflow';

import type { WorkflowJson } from '../../../dev/engine/engine';
import { nodeOf, TRIGGER } from '../../../dev/engine/workflows';
import { withWebhooks, type Execution } from '../../../dev/n8n/n8nClient';
import { EXAMPLE_TRIGGER, readExample, type ExampleName } from '../../../dev/start/readExample';
import { eventually } from './editor';
import type { Here } from './setup';

type Values = Array<{ name: string; value: unknown }>;
/** What a person changes in a recipe, by the names of its nodes; their other parameters stay. */
export type Changes = Record<string, Partial<INode> & { values?: Record<string, string | number> }>;

/** A workflow in n8n, all webhooks of which have one ID. */
export class Workflow {
	private constructor(
		private readonly here: Here,
		readonly id: string,
		readonly webhookId: string,
	) {}

	static async add(here: Here, { nodes, ...workflow }: WorkflowJson): Promise<Workflow> {
		const webhookId = randomUUID();
		const withIds = withWebhooks(nodes, webhookId);
		const { id } = await here.n8n.addWorkflow({ ...workflow, nodes: withIds });
		return new Workflow(here, id, webhookId);
	}

	static async import(here: Here, name: ExampleName, changes?: Changes): Promise<Workflow> {
		return await Workflow.add(here, await readRecipe(here, name, changes));
	}

	async publish(): Promise<this> {
		const { n8n } = this.here;
		await n8n.publish(await n8n.call('GET', `workflows/${this.id}`));
		return this;
	}

	/** Saves these nodes in place of its own, and publishes them. */
	async edit({ nodes, connections }: WorkflowJson, settings: WorkflowJson['settings']) {
		const { id, webhookId } = this;
		const withIds = nodes.map((node) => ({ ...node, webhookId }));
		await this.here.n8n.editWorkflow(id, { name: '', nodes: withIds, connections, settings });
		await this.publish();
	}

	/** The Production URL of its trigger. */
	get url(): string {
		return `${this.here.n8n.url}/webhook/${this.webhookId}/workchat`;
	}

	/** Posts to its trigger. */
	async post(body: unknown, type = 'application/json') {
		const response = await fetch(this.url, {
			method: 'POST',
			headers: { 'Content-Type': type },
			body: typeof body === 'string' ? body : JSON.stringify(body),
		});
		return { status: response.status, text: await response.text() };
	}

	/** Its executions, the first one first, when there are at least so many and all have ended. */
	async settled(least: number): Promise<Execution[]> {
		const { n8n } = this.here;
		let ids: string[] = [];
		await eventually(async () => {
			const all = await n8n.executions(this.id);
			expect(all.length).toBeGreaterThanOrEqual(least);
			expect(all.map(({ status }) => status)).not.toEqual(expect.arrayContaining(['running']));
			ids = all.map(({ id }) => id).reverse();
		});
		return await Promise.all(ids.map(async (id) => await n8n.ended(id)));
	}
}

/** Like a click on "Execute workflow". */
export const click = async ({ n8n }: Here, id: string) => await n8n.run(id, EXAMPLE_TRIGGER);

/** Like a click on "Execute step", with what the editor shows of an earlier execution. */
export async function step({ n8n }: Here, id: string, nodeName: string, { data }: Execution) {
	const { runData } = data.resultData;
	const run = { destinationNode: { nodeName, mode: 'inclusive' }, runData, dirtyNodeNames: [] };
	type Begun = { executionId: string };
	return await n8n.ended((await n8n.call<Begun>('POST', `workflows/${id}/run`, run)).executionId);
}

/** With the sandbox and the folder of here in place of those that it is made for. */
export async function readRecipe(here: Here, name: ExampleName, changes: Changes = {}) {
	const recipe = await readExample(name, { sandbox: here.sandbox.url, files: here.files });
	for (const [node, { parameters, values = {}, ...changed }] of Object.entries(changes)) {
		const found = recipe.nodes.find((each) => each.name === node);
		if (!found) throw new Error(`The recipe ${name} has no node ${node}`);
		Object.assign(Object.assign(found, changed).parameters, parameters);
		const { assignments = [] } = (found.parameters.assignments ?? {}) as { assignments?: Values };
		for (const each of assignments) each.value = values[each.name] ?? each.value;
	}
	return recipe;
}

/** A node that gives these items, in place of one that asks a table. */
export const giving = (items: object[]) => ({
	type: 'n8n-nodes-base.code',
	typeVersion: 2,
	parameters: { jsCode: `return ${JSON.stringify(items.map((json) => ({ json })))};` },
});

export const BY_HAND = nodeOf(TRIGGER, 'n8n-nodes-base.manualTrigger');

/** Nodes, each of which gives its items to the next one. */
export function chainOf(name: string, ...nodes: INode[]): WorkflowJson {
	const links = nodes.slice(1).map(({ name: node }, at) => {
		return [nodes[at]!.name, { main: [[{ node, type: 'main', index: 0 }]] }];
	});
	return { name, nodes, connections: Object.fromEntries(links) };
}

/** Publishes it with a Workchat Trigger in place of the first of its nodes. */
export async function publishTriggered(here: Here, { nodes, ...rest }: WorkflowJson) {
	const trigger = nodeOf(TRIGGER, 'n8n-nodes-workchat.workchatTrigger', { typeVersion: 2 });
	const workflow = { ...rest, nodes: [trigger, ...nodes.slice(1)] };
	return await (await Workflow.add(here, workflow)).publish();
}
