// n8n finds tables whose names contain the wanted one; here it is the one that is just so named.
const NEEDED = {
	campaign: {
		toId: 'string',
		status: 'string',
		reason: 'string',
		tries: 'number',
		time: 'date',
		request_id: 'string',
	},
	doNotContact: { toId: undefined }, // of any type
};
const tables = $('Tables')
	.all()
	.map(({ json }) => json);
const tableOf = (value, name, { error }) => {
	const table = tables.find((each) => each.name === name);
	if (!table && error) fail(`n8n did not make the table ${name}: ${error.message ?? error}`);
	if (!table) {
		const names = tables
			.map((each) => each.name)
			.slice(0, 20)
			.join(', ');
		fail(`There is no table ${name}, which ${value} in Campaign names. There are: ${names}.`);
	}
	const columns = Object.fromEntries((table.columns ?? []).map(({ name, type }) => [name, type]));
	const wrong = Object.entries(NEEDED[value])
		.filter(([column, type]) => columns[column] !== (type ?? columns[column] ?? 'string'))
		.map(([column, type = 'string']) => `${column} (${type})`);
	if (wrong.length > 0) {
		const there = Object.entries(columns)
			.map(([column, type]) => `${column} (${type})`)
			.join(', ');
		const advice =
			value === 'campaign'
				? 'Rename or delete it, execute the workflow again, which makes a right one, and import your rows into that.'
				: 'Add them, or rename the one that holds the IDs.';
		fail(
			`The table ${name} lacks columns, or has them of another type: ${wrong.join(', ')}. It has: ${there || 'none'}. ${advice}`,
		);
	}
	return table;
};
// n8n makes only the table with the recipe's own name: a slip in a name must not make an empty one.
const made = $('Create Do-Not-Contact If Missing').first().json;
const unwantedTable = tableOf(
	'doNotContact',
	unwantedName,
	unwantedName === 'do-not-contact' ? made : {},
);
const table = tableOf('campaign', campaignName, $('Create Table If Missing').first().json);

// An empty table gives an item without an id.
const rowsOf = (items) => items.map(({ json }) => json).filter(({ id }) => typeof id === 'number');
const rows = rowsOf($('Get Rows').all());
const unwantedRows = rowsOf($('Get Do-Not-Contact').all());
const entries = unwantedRows.map(({ id, toId }) => ({ row: id, toId }));
const place = { kind: 'table', id: table.id, unwantedId: unwantedTable.id };
// Later entries are found by their time: n8n's editor adds an empty row first, and fills it in then.
place.since =
	unwantedRows
		.map(({ updatedAt }) => updatedAt)
		.sort()
		.at(-1) ?? '1970-01-01';
