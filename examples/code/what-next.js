// Whom to send to next: nobody, oneself, a portion of 100, or, before that, a question.
const all = $('Who Is Due')
	.all()
	.map(({ json }) => json);
const { list } = all[0];
const due = all.filter(({ rows }) => rows);
const next = (step, ...items) => items.map((item) => ({ json: { next: step, ...item } }));

const form = $('Send It?');
const became = $('What Became of It');
if (due.length === 0) return next('end', { why: 'nobody' });
if (list.asks && !form.isExecuted) {
	return next(clean($('Campaign').first().json.testRecipient) ? 'rehearse' : 'ask', {});
}
if (list.asks && !/^yes/i.test(form.first().json.Answer ?? '')) {
	return next('end', { why: form.first().json.Answer === undefined ? 'no answer' : 'no' });
}

const hasLooked = $prevNode.name === LOOKS;
if (!hasLooked && (form.isExecuted || became.isExecuted)) return next('look', ...look(list.place));
const begin = became.isExecuted ? 'Nothing more was sent.' : 'Nothing was sent.';
if (became.isExecuted && !list.isDry) {
	const cells = cellsToWrite(
		became.all().map(({ json }) => json),
		begin,
	);
	if (cells) return cells;
}
const { at, stopped, brake } = became.isExecuted ? became.last().json : { at: 0, stopped: 0 };
if (brake) return next('end', { why: 'brake', brake, stopped });
const unwanted = unwantedIn(hasLooked ? newEntries(begin) : [], list.unwantedName, begin);
const portion = [];
let end = at;
let left = stopped;
for (; portion.length < 100 && end < due.length; end++) {
	if (meets(due[end].toId, unwanted)) left++;
	else portion.push(due[end]);
}
if (portion.length === 0) return next('end', { why: 'done', stopped: left });
// What was only to be checked is not sent by "Execute step" either, once Dry Run is off.
const state = { at: end, stopped: left, run: $runIndex, ...(list.isDry && { isDry: true }) };
return next('send', ...portion.map((each) => ({ ...each, ...state })));
