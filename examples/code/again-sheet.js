// Before each portion, both sheets are read again: for new entries, and for where the rows stand.
const LOOKS = 'Get Do-Not-Contact Again';
const look = () => [{}];
const newEntries = (begin) => entriesOf($('Get Do-Not-Contact Again').all(), 'of those', begin);

// n8n's node for Google Sheets writes into the first row that has a toId, from a given row on (n8n
// 2.41, GoogleSheet.js). So a toId that stands in several rows takes several rounds, which look
// at the sheet anew, as somebody may have sorted it.
const cellsToWrite = (notes, begin) => {
	const { headings, rows } = readSheet(
		$('Get Rows Again').all(),
		'of the campaign',
		['toId', 'status'],
		begin,
	);
	const round = $runIndex - notes.at(-1).run - 2; // after the sending, and the first look
	const noted = new Map(notes.map((note) => [note.toId, note]));
	const there = rows.filter(({ toId }) => noted.has(toId));
	const from = there.find(({ toId, status }) => round === 0 || status !== noted.get(toId).status);
	if (from === undefined || round > notes.length) return undefined;
	return [...new Set(there.map(({ toId }) => toId))].map((toId) => {
		const note = noted.get(toId);
		const cells = Object.entries(headings).map(([name, heading]) => [heading, note[name] ?? '']);
		// Where to begin; of this name n8n's node makes no column.
		return { json: { ...Object.fromEntries(cells), row_number: from.row } };
	});
};
