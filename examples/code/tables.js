const strings = (...names) => Object.fromEntries(names.map((name) => [name, 'string']));
// n8n finds tables whose names contain the wanted one; here it is the one that is just so named.
const tables = $('Tables')
	.all()
	.map(({ json }) => json);
/** @param needed its columns with their types; any will do for one without a type */
const tableOf = (name, needed, made, advice) => {
	const table = tables.find((each) => each.name === name);
	const { error } = made ? $(made).first().json : {};
	if (!table && error) fail(`n8n did not make the table ${name}: ${error.message ?? error}`);
	if (!table) {
		const names = tables.slice(0, 20).map((each) => each.name);
		fail(`There is no table ${name}, which Campaign names. There are: ${names.join(', ')}.`);
	}
	const columns = Object.fromEntries((table.columns ?? []).map(({ name, type }) => [name, type]));
	const told = (all) => all.map(([column, type]) => `${column} (${type ?? 'string'})`).join(', ');
	const wrong = Object.entries(needed).filter(
		([column, type]) => columns[column] !== (type ?? columns[column] ?? 'string'),
	);
	if (wrong.length > 0) {
		fail(
			`The table ${name} lacks columns, or has them of another type: ${told(wrong)}. It has: ${told(Object.entries(columns)) || 'none'}. ${advice}`,
		);
	}
	return table;
};
const ANEW =
	'Rename or delete it, execute the workflow again, which makes a right one, and put your rows into that.';
// An empty table gives an item without an id.
const rowsOf = (node) =>
	$(node)
		.all()
		.map(({ json }) => json)
		.filter(({ id }) => typeof id === 'number');
