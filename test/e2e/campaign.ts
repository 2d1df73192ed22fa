import { EXAMPLE_TRIGGER, readExample } from '../../dev/start/readExample';
import type { Execution } from '../../dev/n8n/n8nClient';
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
}

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
		const recipe = await readExample('campaign-from-a-table', { sandbox: '', files: '' });
		const named = JSON.parse(JSON.stringify(recipe).replaceAll('spring-offer', name));
		const { id } = await here.n8n.addWorkflow({ ...named, name });
		const campaign = new Campaign(here, id);
		await campaign.run();
		const project = await here.n8n.call<{ id: string }>('GET', 'projects/personal');
		const filter = encodeURIComponent(JSON.stringify({ name }));
		const tables = `projects/${project.id}/data-tables`;
		const found = await here.n8n.call<{ data: Array<{ id: string; name: string }> }>(
			'GET',
			`${tables}?filter=${filter}`,
		);
		const table = found.data.find((each) => each.name === name);
		if (!table) throw new Error(`The recipe made no table named ${name}`);
		campaign.tables = `${tables}/${table.id}`;
		return campaign;
	}

	async run(): Promise<Execution> {
		return await this.here.n8n.run(this.workflowId, EXAMPLE_TRIGGER);
	}

	/** Resolves to the execution's ID when it has begun. */
	async begin(): Promise<string> {
		return await this.here.n8n.begin(this.workflowId, EXAMPLE_TRIGGER);
	}

	async fill(recipients: Array<Pick<Row, 'toId'>>): Promise<void> {
		await this.here.n8n.call('POST', `${this.tables}/insert`, { data: recipients });
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
