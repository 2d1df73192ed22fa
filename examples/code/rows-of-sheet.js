const NOTHING = 'Nothing was sent.';
const rows = readSheet($('Get Rows').all(), 'of the campaign', ['toId', 'status'], NOTHING)
	.rows.filter(({ toId, status }) => clean(toId) || clean(status))
	.map((row) => ({ ...row, tries: Number(row.tries) || 0 }));
const entries = entriesOf($('Get Do-Not-Contact').all(), unwantedName, NOTHING);
const place = { kind: 'sheet' };
