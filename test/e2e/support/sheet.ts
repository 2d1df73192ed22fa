import { join } from 'node:path';

import type { IDataObject } from 'n8n-workflow';

import { projectRoot } from '../../../dev/projectRoot';
import { EXAMPLE_TRIGGER } from '../../../dev/start/readExample';
import { jsonOf } from './messages';
import type { Here } from './setup';
import { giving, Workflow } from './workflow';

const nodes = 'dev/n8n/node_modules/n8n-nodes-base/dist/nodes';
const path = join(projectRoot, nodes, 'Google/Sheet/v2/helpers/GoogleSheet.js');
const columns = ['toId', 'status', 'request_id', 'reason'];

interface GoogleSheet {
	getColumnValues(where: object): Promise<unknown[]>;
	prepareDataForUpdateOrUpsert(
		what: object,
	): Promise<{ updateData: Array<{ range: string; values: string[][] }> }>;
}

type Cells = Array<Array<string | undefined>>;

/**
 * Runs the recipe on six rows, which somebody turns round meanwhile below a new one. No test has an
 * account of Google's: the rows stand in the recipe, and n8n's own code says what it would write.
 */
export async function runSheet(here: Here) {
	const words = ['', ' Rejected', '\u00a0', 'Sent ', '已发送', ''];
	const rows = words.map((status, at) => [`customer-${(at % 5) + 1}`, status]);
	const sheet: Cells = [['customer-0', ''], ...[...rows].reverse()];
	// After the first round, in which n8n's node finds only the first row of customer-1.
	const between = sheet.map(([toId, word], at) => [toId, [1, 4, 5].includes(at) ? 'sent' : word]);
	const read = (cells: Cells) =>
		giving(cells.map(([toId, status], at) => ({ toId, status, row_number: at + 2 })));
	const recipe = await Workflow.import(here, 'campaign-from-google-sheets', {
		'Get Rows': read(rows),
		'Get Rows Again': read(between),
		'Write Status': { disabled: true },
	});
	const again = async () => await here.n8n.run(recipe.id, EXAMPLE_TRIGGER);
	const execution = await again();
	for (const { data } of execution.data.resultData.runData['Rows to Write'] ?? []) {
		await write(sheet, data?.main?.[0]?.map((item) => item.json) ?? []);
	}
	return { sheet, result: jsonOf(execution, 'Result')[0], again };
}

/** Writes into the cells below the columns' names that n8n's own node for Google Sheets would. */
async function write(cells: Cells, inputData: IDataObject[]): Promise<void> {
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
