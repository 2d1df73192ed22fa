// n8n makes only the table with the recipe's own name: a slip in a name must not make an empty one.
const isAsItComes = unwantedName === 'do-not-contact';
const unwantedTable = tableOf(
	unwantedName,
	{ toId: undefined },
	isAsItComes && 'Create Do-Not-Contact If Missing',
	'Add them, or rename the one that holds the IDs.',
);
const needed = strings('toId', 'status', 'reason', 'request_id');
const needs = { ...needed, tries: 'number', time: 'date' };
const table = tableOf(campaignName, needs, 'Create Table If Missing', ANEW);
const rows = rowsOf('Get Rows');
const unwantedRows = rowsOf('Get Do-Not-Contact');
const entries = unwantedRows.map(({ id, toId }) => ({ row: id, toId }));
const place = { kind: 'table', id: table.id, unwantedId: unwantedTable.id };
// Later entries are found by their time: n8n's editor adds an empty row first, and fills it in then.
place.since =
	unwantedRows
		.map(({ updatedAt }) => updatedAt)
		.sort()
		.at(-1) ?? '1970-01-01';
