import { join } from 'node:path';

import type { IDataObject } from 'n8n-workflow';

import { projectRoot } from '../../../dev/projectRoot';

const nodes = 'dev/n8n/node_modules/n8n-nodes-base/dist/nodes';
const path = join(projectRoot, nodes, 'Google/Sheet/v2/helpers/GoogleSheet.js');
const columns = ['toId', 'status', 'request_id', 'reason'];

interface GoogleSheet {
	getColumnValues(where: object): Promise<unknown[]>;
	prepareDataForUpdateOrUpsert(
		what: object,
	): Promise<{ updateData: Array<{ range: string; values: string[][] }> }>;
}

/** Writes into the cells below the columns' names that n8n's own node for Google Sheets would. */
export async function writeAsGoogle(cells: string[][], inputData: IDataObject[]): Promise<void> {
	const module = (await import(path)) as { GoogleSheet: new (id: string) => GoogleSheet };
	const google = new module.GoogleSheet('fake-sheet');
	const where = { range: 'Sheet!A:Z', keyRowIndex: 0, keyIndex: 0, indexKey: 'toId' };
	const dataStartRowIndex = Number(inputData[0]?.from) - 1;
	const all = { ...where, dataStartRowIndex, sheetData: [columns, ...cells] };
	const columnValuesList = await google.getColumnValues(all);
	const given = { ...all, inputData, columnValuesList, columnNamesList: [columns] };
	for (const { range, values } of (await google.prepareDataForUpdateOrUpsert(given)).updateData) {
		const [, column = '', row] = /!([A-D])(\d+)$/.exec(range) ?? [];
		cells[Number(row) - 2]![column.charCodeAt(0) - 65] = values[0]![0]!;
	}
}
