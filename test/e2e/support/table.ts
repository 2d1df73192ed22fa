import type { N8nClient } from '../../../dev/n8n/n8nClient';

export type Row = Record<string, string | number | null>;
export type Table = ReturnType<typeof tableAt>;

/** One of n8n's data tables, with a column `toId` and no more than 250 rows, as n8n gives at once. */
const tableAt = (n8n: N8nClient, path: string) => ({
	insert: async (data: Row[]) => await n8n.call('POST', `${path}/insert`, { data }),
	/** In the order in which they were added. */
	rows: async () =>
		(await n8n.call<{ data: Row[] }>('GET', `${path}/rows?take=250&sortBy=id:asc`)).data,
});

async function pathOf(n8n: N8nClient): Promise<string> {
	const { id } = await n8n.call<{ id: string }>('GET', 'projects/personal');
	return `projects/${id}/data-tables`;
}

export async function findTable(n8n: N8nClient, name: string): Promise<Table> {
	const path = await pathOf(n8n);
	const { data } = await n8n.call<{ data: Array<{ id: string; name: string }> }>('GET', path);
	return tableAt(n8n, `${path}/${data.find((each) => each.name === name)?.id}`);
}

/** Makes another one, of these recipients alone; resolves to what selects it in a node. */
export async function makeTable(n8n: N8nClient, toIds: string[]) {
	const path = await pathOf(n8n);
	const columns = [{ name: 'toId', type: 'string' }];
	const { id } = await n8n.call<{ id: string }>('POST', path, { name: 'others', columns });
	await tableAt(n8n, `${path}/${id}`).insert(toIds.map((toId) => ({ toId })));
	return { __rl: true, mode: 'list', value: id };
}
