import type { Here } from './setup';

type Row = Record<string, string | number | Date | null>;

async function pathOfTables({ n8n }: Here): Promise<string> {
	const { id } = await n8n.call<{ id: string }>('GET', 'projects/personal');
	return `projects/${id}/data-tables`;
}

/** One of n8n's data tables, with no more than 250 rows, as n8n gives at once. */
export async function tableOf(here: Here, name: string) {
	const { n8n } = here;
	const tables = await pathOfTables(here);
	const { data } = await n8n.call<{ data: Row[] }>('GET', tables);
	const path = `${tables}/${data.find((each) => each.name === name)?.id}`;
	return {
		/** What a person writes into one row. */
		edit: async (id: number, data: Row) => {
			const filters = [{ columnName: 'id', condition: 'eq', value: id }];
			await n8n.call('PATCH', `${path}/rows`, { filter: { type: 'and', filters }, data });
		},
		remove: async () => await n8n.call('DELETE', path),
		insert: async (rows: Row[]) => await n8n.call('POST', `${path}/insert`, { data: rows }),
		/** In the order in which they were added. */
		rows: async () =>
			(await n8n.call<{ data: Row[] }>('GET', `${path}/rows?take=250&sortBy=id:asc`)).data,
	};
}

/** Removes all data tables. */
export async function removeTables(here: Here): Promise<void> {
	const tables = await pathOfTables(here);
	const { data } = await here.n8n.call<{ data: Row[] }>('GET', tables);
	for (const { id } of data) await here.n8n.call('DELETE', `${tables}/${id}`);
}

/** A new table of these rows, with the columns of the first one. Gives its ID. */
export async function addTable(here: Here, name: string, rows: Row[]): Promise<string> {
	const tables = await pathOfTables(here);
	const typeOf = (cell: Row[string]) => (cell instanceof Date ? 'date' : typeof cell);
	const columns = Object.entries(rows[0]!).map(([name, cell]) => ({ name, type: typeOf(cell) }));
	const { id } = await here.n8n.call<{ id: string }>('POST', tables, { name, columns });
	await here.n8n.call('POST', `${tables}/${id}/insert`, { data: rows });
	return id;
}
