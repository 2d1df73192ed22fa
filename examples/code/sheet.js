// A sheet's columns, by headings as the node finds names: capitals, blanks, "_" and "-" do not count.
const HEADINGS = {
	toId: ['toid', 'recipientid'],
	status: ['status'],
	reason: ['reason'],
	tries: ['tries'],
	request_id: ['requestid'],
};
/** Of a sheet that is read from its first row on: its headings, and its rows by our names. */
const readSheet = (items, name, needed, begin) => {
	const all = items.map(({ json }) => json);
	const fail = (text) => {
		throw new Error(`${begin} ${text}`);
	};
	const [{ row_number, ...first } = {}, ...rows] = all;
	const there = Object.keys(first);
	const headings = {};
	for (const [column, names] of Object.entries(HEADINGS)) {
		const found = there.filter((each) => names.includes(plain(each).replace(/[\s_-]/g, '')));
		if (found.length > 1)
			fail(`The sheet ${name} has ${column} twice: ${found.join(', ')}. Rename one.`);
		headings[column] = found[0] ?? column;
		if (found.length === 0 && needed.includes(column)) {
			fail(
				`The sheet ${name} has no column ${column}. Its first row is: ${there.filter((each) => first[each]).join(', ') || 'empty'}. The headings have to stand there: ${needed.join(', ')}. If there is a title above them, delete its row.`,
			);
		}
	}
	const named = (row) =>
		Object.fromEntries(Object.entries(headings).map(([column, heading]) => [column, row[heading]]));
	return { headings, rows: rows.map((row) => ({ ...named(row), row: row.row_number })) };
};
const entriesOf = (items, name, begin) =>
	readSheet(items, name, ['toId'], begin).rows.filter(({ toId }) => clean(toId));
