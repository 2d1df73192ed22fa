const strings = (...names) => Object.fromEntries(names.map((name) => [name, 'string']));
// n8n finds tables whose names contain the wanted one; here it is the one that is just so named.
const tables = $('Tables')
	.all()
	.map(({ json }) => json);
/** @param needed its columns with their types; any will do for one without a type */
const tableOf = (name, needed, advice) => {
	const table =
		tables.find((each) => each.name === name) ?? fail(`There is no table ${name}. ${advice}`);
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
// An empty table gives an item without an id.
const rowsOf = (node) =>
	$(node)
		.all()
		.map(({ json }) => json)
		.filter(({ id }) => typeof id === 'number');
