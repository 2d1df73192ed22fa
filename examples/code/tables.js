const strings = (...names) => Object.fromEntries(names.map((name) => [name, 'string']));
// An empty table gives an item without an id.
const rowsOf = (node) => jsonsOf(node).filter(({ id }) => typeof id === 'number');
// n8n finds tables whose names contain the wanted one; here it is the one that is just so named.
const tables = jsonsOf('Tables');
/** @param needed its columns with their types; any will do for one without a type */
const tableOf = (name, needed, advice) => {
	const table = tables.find((each) => each.name === name);
	if (!table) fail(`There is no table ${name}. ${advice}`);
	const types = new Map((table.columns ?? []).map(({ name, type }) => [name, type]));
	const isWrong = ([column, type]) => !types.has(column) || (type && types.get(column) !== type);
	const wrong = Object.entries(needed).filter(isWrong);
	if (wrong.length > 0) {
		const told = wrong.map(([column, type = 'string']) => `${column} (${type})`).join(', ');
		fail(`The table ${name} lacks columns, or has them of another type: ${told}. ${advice}`);
	}
	return table;
};
