import { randomUUID } from 'node:crypto';

import type { INode } from 'n8n-workflow';

import type { WorkflowJson } from '../../../dev/engine/engine';
import { nodeOf } from '../../../dev/engine/workflows';
import type { Execution } from '../../../dev/n8n/n8nClient';
import { readExample, type ExampleName } from '../../../dev/start/readExample';
import { eventually } from './editor';
import type { Here } from './setup';

type Values = Array<{ name: string; value: unknown }>;
/** What a person changes in a recipe, by the names of its nodes; their other parameters stay. */
export type Changes = Record<string, Partial<INode> & { values?: Record<string, string | number> }>;

/** A workflow in n8n, all webhooks of which have one ID, as n8n's editor gives one to each. */
export class Workflow {
	private constructor(
		private readonly here: Here,
		readonly id: string,
		private readonly webhookId: string,
	) {}

	static async add(here: Here, { nodes, ...workflow }: WorkflowJson): Promise<Workflow> {
		const webhookId = randomUUID();
		const withIds = nodes.map((node) => ({ ...node, webhookId }));
		const { id } = await here.n8n.addWorkflow({ ...workflow, nodes: withIds });
		return new Workflow(here, id, webhookId);
	}

	static async import(here: Here, name: ExampleName, changes?: Changes): Promise<Workflow> {
		return await Workflow.add(here, await readRecipe(here, name, changes));
	}

	static async publish(here: Here, name: ExampleName, changes?: Changes): Promise<Workflow> {
		return await (await Workflow.import(here, name, changes)).publish();
	}

	async publish(): Promise<this> {
		const { n8n } = this.here;
		await n8n.publish(await n8n.call('GET', `workflows/${this.id}`));
		return this;
	}

	/** The Production URL of its Workchat Trigger. */
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

	/** Its executions, the first one first, when there are so many and all have ended. */
	async ended(count: number): Promise<Execution[]> {
		const { n8n } = this.here;
		let ids: string[] = [];
		await eventually(async () => {
			const executions = await n8n.executions(this.id);
			const ended = executions.filter(({ status }) => /success|error/.test(status));
			expect([executions.length, ended.length]).toEqual([count, count]);
			ids = executions.map(({ id }) => id).reverse();
		}, 3000);
		return await Promise.all(ids.map(async (id) => await n8n.execution(id)));
	}
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

export const AFTER = 'After';

/** Publishes a Workchat Trigger, and a node of the name {@link AFTER} behind it. */
export async function publishTrigger(
	here: Here,
	startOn: 'every' | 'file' | 'feedVideo',
	next = nodeOf(AFTER, 'n8n-nodes-base.noOp'),
): Promise<Workflow> {
	const type = 'n8n-nodes-workchat.workchatTrigger';
	const trigger = nodeOf('Trigger', type, { typeVersion: 2, parameters: { startOn } });
	const connections = { Trigger: { main: [[{ node: AFTER, type: 'main' as const, index: 0 }]] } };
	const workflow = { name: 'Trigger', nodes: [trigger, next], connections };
	return await (await Workflow.add(here, workflow)).publish();
}
