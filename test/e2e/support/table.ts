import type { N8nClient } from '../../../dev/n8n/n8nClient';

export type Row = Record<string, string | number | null>;

/** One of n8n's data tables, with a column `toId` and no more than 250 rows, as n8n gives at once. */
export class Table {
	private constructor(
		private readonly n8n: N8nClient,
		private readonly path: string,
	) {}

	static async find(n8n: N8nClient, name: string): Promise<Table> {
		const tables = await pathOf(n8n);
		const { data } = await n8n.call<{ data: Array<{ id: string; name: string }> }>('GET', tables);
		const found = data.find((each) => each.name === name);
		return new Table(n8n, `${tables}/${found?.id}`);
	}

	/** Makes another one, of these recipients alone; resolves to what selects it in a node. */
	static async make(n8n: N8nClient, toIds: string[]) {
		const tables = await pathOf(n8n);
		const columns = [{ name: 'toId', type: 'string' }];
		const made = await n8n.call<{ id: string }>('POST', tables, { name: 'others', columns });
		await new Table(n8n, `${tables}/${made.id}`).insert(toIds.map((toId) => ({ toId })));
		return { __rl: true, mode: 'list', value: made.id };
	}

	async insert(data: Row[]): Promise<void> {
		await this.n8n.call('POST', `${this.path}/insert`, { data });
	}

	/** In the order in which they were added. */
	async rows(): Promise<Row[]> {
		const path = `${this.path}/rows?take=250&sortBy=id:asc`;
		return (await this.n8n.call<{ data: Row[] }>('GET', path)).data;
	}
}

async function pathOf(n8n: N8nClient): Promise<string> {
	const { id } = await n8n.call<{ id: string }>('GET', 'projects/personal');
	return `projects/${id}/data-tables`;
}
