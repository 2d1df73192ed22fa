// n8n's node for Google Sheets writes into the first row that has a toId, from a given row on (n8n
// 2.41, GoogleSheet.js). So a toId that stands in several rows takes several rounds, which look
// at the sheet anew, as somebody may have sorted it.
const became = $('What Became of It');
const notes = became.all().map(({ json }) => json);
const isNoted = ({ toId, status, isUnwanted }) => toId !== '' && status && !isUnwanted;
const { isDry } = $('Who Is Due').first().json.list;
const noted = new Map(isDry ? [] : notes.filter(isNoted).map((note) => [note.toId, note]));
const needed = ['toId', 'status'];
const sheet = readSheet($input.all(), 'of the campaign', needed, 'Nothing more was sent.');
// Another execution may have sent what this one could not tell.
for (const { toId, status } of sheet.rows) {
	if (/^sent$/i.test(clean(status)) && noted.get(toId)?.status === 'unknown') noted.delete(toId);
}
const there = sheet.rows.filter(({ toId }) => noted.has(toId));
const from = there.find(({ toId, status, tries }) => {
	const note = noted.get(toId);
	return status !== note.status || Number(tries) !== note.tries;
});
let most = 0;
for (let portion = 0; portion <= notes.at(-1).portion; portion++) {
	most += became.all(0, portion).length + 1;
}
if (from === undefined || $runIndex >= most) return [{ json: {} }];
return [...new Set(there.map(({ toId }) => toId))].map((toId) => {
	const note = noted.get(toId);
	const cells = Object.entries(sheet.headings).map(([name, heading]) => [
		heading,
		note[name] ?? '',
	]);
	// Where to begin; n8n's node makes no column of this name.
	return { json: { ...Object.fromEntries(cells), row_number: from.row } };
});
