import type { N8nClient } from '../../../dev/n8n/n8nClient';

/** One of n8n's data tables, with a column `toId` and no more than 250 rows, as n8n gives at once. */
export class Table<Row extends { toId: string }> {
	private constructor(
		private readonly n8n: N8nClient,
		readonly id: string,
		private readonly path: string,
	) {}

	/** Makes one, with this column alone. */
	static async make(n8n: N8nClient, name: string): Promise<Table<{ toId: string }>> {
		const tables = await pathOf(n8n);
		const columns = [{ name: 'toId', type: 'string' }];
		const { id } = await n8n.call<{ id: string }>('POST', tables, { name, columns });
		return new Table(n8n, id, `${tables}/${id}`);
	}

	static async find<Row extends { toId: string }>(n8n: N8nClient, name: string) {
		const tables = await pathOf(n8n);
		const { data } = await n8n.call<{ data: Array<{ id: string; name: string }> }>('GET', tables);
		const { id } = data.find((each) => each.name === name) ?? {};
		if (!id) throw new Error(`There is no table named ${name}`);
		return new Table<Row>(n8n, id, `${tables}/${id}`);
	}

	async insert(data: Array<Partial<Row>>): Promise<void> {
		await this.n8n.call('POST', `${this.path}/insert`, { data });
	}

	/** In the order in which they were added. */
	async rows(): Promise<Row[]> {
		const path = `${this.path}/rows?take=250&sortBy=id:asc`;
		return (await this.n8n.call<{ data: Row[] }>('GET', path)).data;
	}

	/** As somebody who edits a row by hand. */
	async edit(toId: string, data: Partial<Row>): Promise<void> {
		const filter = { type: 'and', filters: [{ columnName: 'toId', condition: 'eq', value: toId }] };
		await this.n8n.call('PATCH', `${this.path}/rows`, { filter, data });
	}
}

async function pathOf(n8n: N8nClient): Promise<string> {
	const { id } = await n8n.call<{ id: string }>('GET', 'projects/personal');
	return `projects/${id}/data-tables`;
}
