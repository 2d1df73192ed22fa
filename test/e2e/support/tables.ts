import type { Here } from './setup';

type Row = Record<string, string | number | null>;

/** One of n8n's data tables, with no more than 250 rows, as n8n gives at once. */
export async function tableOf({ n8n }: Here, name: string) {
	const { id } = await n8n.call<{ id: string }>('GET', 'projects/personal');
	const tables = `projects/${id}/data-tables`;
	const { data } = await n8n.call<{ data: Row[] }>('GET', tables);
	const path = `${tables}/${data.find((each) => each.name === name)?.id}`;
	return {
		insert: async (rows: Row[]) => await n8n.call('POST', `${path}/insert`, { data: rows }),
		/** In the order in which they were added. */
		rows: async () =>
			(await n8n.call<{ data: Row[] }>('GET', `${path}/rows?take=250&sortBy=id:asc`)).data,
	};
}
