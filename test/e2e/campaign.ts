import type { INode } from 'n8n-workflow';

import type { WorkflowJson } from '../../dev/engine/engine';
import type { Execution, N8nClient } from '../../dev/n8n/n8nClient';
import { EXAMPLE_TRIGGER, readExample } from '../../dev/start/readExample';
import type { Here } from './setup';

/** A row of the campaign's table. */
export interface Row {
	id: number;
	toId: string;
	status: 'sent' | 'rejected' | 'notSent' | 'unknown' | null;
	request_id: string | null;
	/** ISO 8601. */
	time: string | null;
	reason: string | null;
	/** In how many runs it was tried. */
	tries: number | null;
}

/** What a person fills in, by the names in the node Campaign. */
type Filled = Record<string, string | number>;

/** What becomes different in other nodes, by their names. */
type Changes = Record<string, Partial<INode>>;

/** Keys that are claimed ahead of the sending. */
const AHEAD = 10;
/** Messages that may be sent before n8n has noted it, at 50 ms each. */
const SENT_IN_THE_LAST_MOMENTS = 10;
/** The most that n8n gives at once. */
const PAGE = 250;

/** The recipe "campaign from a table" in an n8n, and its table. */
export class Campaign {
	private tables = '';

	private constructor(
		private readonly here: Pick<Here, 'n8n' | 'sandbox'>,
		readonly workflowId: string,
	) {}

	/** Imports the recipe, and lets it make its table. */
	static async make(here: Pick<Here, 'n8n' | 'sandbox'>, name: string): Promise<Campaign> {
		const { id } = await here.n8n.addWorkflow({ ...(await recipe({ campaign: name })), name });
		const campaign = new Campaign(here, id);
		await campaign.run();
		const filter = encodeURIComponent(JSON.stringify({ name }));
		const tables = await tablesOf(here.n8n);
		const found = await here.n8n.call<{ data: Array<{ id: string; name: string }> }>(
			'GET',
			`${tables}?filter=${filter}`,
		);
		const table = found.data.find((each) => each.name === name);
		if (!table) throw new Error(`The recipe made no table named ${name}`);
		campaign.tables = `${tables}/${table.id}`;
		return campaign;
	}

	/** As somebody who edits the node Campaign, and other nodes. */
	async fillIn(values: Filled, changes: Changes = {}): Promise<void> {
		await this.here.n8n.editWorkflow(this.workflowId, await recipe(values, changes));
	}

	/** With another schedule than the recipe's, as no test can wait for an hour. */
	async publish(
		expression: string,
		values: Filled,
		settings: WorkflowJson['settings'] = {},
	): Promise<void> {
		const rule = { interval: [{ field: 'cronExpression', expression }] };
		const changes = { 'Every Hour From 9 to 17': { parameters: { rule } } };
		const { n8n } = this.here;
		const edited = await recipe(values, changes);
		Object.assign((edited.settings ??= {}), settings);
		await n8n.editWorkflow(this.workflowId, edited);
		const path = `workflows/${this.workflowId}`;
		await n8n.publish(await n8n.call<Parameters<typeof n8n.publish>[0]>('GET', path));
	}

	async unpublish(): Promise<void> {
		await this.here.n8n.call('POST', `workflows/${this.workflowId}/deactivate`, {});
	}

	async run(): Promise<Execution> {
		return await this.here.n8n.run(this.workflowId, EXAMPLE_TRIGGER);
	}

	/** Resolves to the execution's ID when it has begun. */
	async begin(): Promise<string> {
		return await this.here.n8n.begin(this.workflowId, EXAMPLE_TRIGGER);
	}

	async fill(recipients: Array<Pick<Row, 'toId'>>): Promise<void> {
		for (let at = 0; at < recipients.length; at += PAGE) {
			const data = recipients.slice(at, at + PAGE);
			await this.here.n8n.call('POST', `${this.tables}/insert`, { data });
		}
	}

	/** In the order in which they were added. */
	async rows(): Promise<Row[]> {
		const rows: Row[] = [];
		for (;;) {
			const query = `take=${PAGE}&skip=${rows.length}&sortBy=id:asc`;
			const { count, data } = await this.here.n8n.call<{ count: number; data: Row[] }>(
				'GET',
				`${this.tables}/rows?${query}`,
			);
			rows.push(...data);
			if (rows.length >= count) return rows;
		}
	}

	/** As somebody who edits a row by hand. */
	async edit(toId: string, data: Partial<Row>): Promise<void> {
		const filter = { type: 'and', filters: [{ columnName: 'toId', condition: 'eq', value: toId }] };
		await this.here.n8n.call('PATCH', `${this.tables}/rows`, { filter, data });
	}
}

async function tablesOf(n8n: N8nClient): Promise<string> {
	const { id } = await n8n.call<{ id: string }>('GET', 'projects/personal');
	return `projects/${id}/data-tables`;
}

/** Makes a table of recipients; resolves to its ID. */
export async function makeTable(
	n8n: N8nClient,
	name: string,
	data: Array<Pick<Row, 'toId'>>,
): Promise<string> {
	const tables = await tablesOf(n8n);
	const columns = [{ name: 'toId', type: 'string' }];
	const { id } = await n8n.call<{ id: string }>('POST', tables, { name, columns });
	await n8n.call('POST', `${tables}/${id}/insert`, { data });
	return id;
}

async function recipe(values: Filled, changes: Changes = {}): Promise<WorkflowJson> {
	const recipe = await readExample('campaign-from-a-table', { sandbox: '', files: '' });
	const filledIn = recipe.nodes.find(({ name }) => name === 'Campaign')?.parameters.assignments;
	const { assignments } = filledIn as { assignments: Array<{ name: string; value: unknown }> };
	for (const [name, value] of Object.entries(values)) {
		const field = assignments.find((each) => each.name === name);
		if (!field) throw new Error(`The recipe has no ${name}`);
		field.value = value;
	}
	for (const [name, { parameters, ...settings }] of Object.entries(changes)) {
		const node = recipe.nodes.find((each) => each.name === name);
		if (!node) throw new Error(`The recipe has no ${name}`);
		Object.assign(node, settings);
		Object.assign(node.parameters, parameters);
	}
	return recipe;
}

/** How many rows have each status. */
export function tally(rows: Row[]): Record<string, number> {
	const counts: Record<string, number> = {};
	for (const { status } of rows) counts[String(status)] = (counts[String(status)] ?? 0) + 1;
	return counts;
}

/** How often each recipient's message arrived. */
export function arrivals({ sandbox }: Pick<Here, 'sandbox'>): Map<string, number> {
	return counted(sandbox.messages.map(({ toId }) => toId));
}

/** How often each value comes. */
export function counted(values: unknown[]): Map<string, number> {
	const counts = new Map<string, number>();
	for (const value of values.map(String)) counts.set(value, (counts.get(value) ?? 0) + 1);
	return counts;
}

/** The recipients of more than one message. */
export const doubles = (here: Pick<Here, 'sandbox'>): string[] =>
	[...arrivals(here)].flatMap(([toId, count]) => (count > 1 ? [toId] : []));

/**
 * After a kill, a run that sends one message at a time leaves in doubt what it had claimed or in
 * flight, and what it had just sent.
 * @param before messages that had arrived when it was killed
 */
export function expectFewInDoubt(here: Pick<Here, 'sandbox'>, rows: Row[], before: number): void {
	const counts = arrivals(here);
	const unknown = rows.filter(({ status }) => status === 'unknown');
	const arrived = unknown.filter(({ toId }) => counts.has(toId));
	process.stdout.write(
		`SIGKILL after ${before} of ${rows.length}; then ${here.sandbox.messages.length - before} more, ` +
			`${unknown.length} unknown, of which ${arrived.length} arrived\n`,
	);
	expect(unknown.length - arrived.length).toBeLessThanOrEqual(AHEAD + 1);
	expect(arrived.length).toBeLessThanOrEqual(SENT_IN_THE_LAST_MOMENTS);
}
