import { BROWSER_ID } from '../../../dev/n8n/n8nClient';
import type { Here } from './setup';

export type Row = Record<string, string | number | null>;

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
		insert: async (rows: Row[]) => await n8n.call('POST', `${path}/insert`, { data: rows }),
		/** In the order in which they were added. */
		rows: async () =>
			(await n8n.call<{ data: Row[] }>('GET', `${path}/rows?take=250&sortBy=id:asc`)).data,
	};
}

/** As n8n's pages make a table of a CSV: of IDs they make numbers. */
export async function importCsv(here: Here, name: string, lines: string[]): Promise<void> {
	const body = new FormData();
	body.append('file', new Blob([lines.join('\n')], { type: 'text/csv' }), 'list.csv');
	const { url, session } = here.n8n;
	const headers = { Cookie: session.cookie, 'browser-id': BROWSER_ID };
	const uploaded = { method: 'POST', headers, body };
	const response = await fetch(`${url}/rest/data-tables/uploads`, uploaded);
	const { data } = (await response.json()) as { data: { id: string; columns: object[] } };
	const table = { name, fileId: data.id, columns: data.columns, hasHeaders: true };
	await here.n8n.call('POST', await pathOfTables(here), table);
}
