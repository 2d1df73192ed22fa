// The result so far: for the page, which has the words, and for the alarm.
const { list = {} } = jsonsOf('Select Recipients')[0] ?? {};
const { names = {}, others = [] } = jsonsOf('Select Recipients').at(-1) ?? {};
const { secondsBetween: seconds } = $('Settings').first().json;
const START = {
	...{ batches: 0, people: 0, next: 0, claimed: [], time: 0, pace: seconds },
	...{ counts: {}, done: 0, again: 0, newFailures: 0, failures: [] },
	...{ row: 0, isAny: false, isNews: false, brake: '' },
};
const before = $runIndex > 0 ? jsonsOf('Progress')[0].state : START;
const state = { ...before, counts: { ...before.counts }, failures: [...before.failures] };
const results = jsonsOf('Record Result').filter(({ batch }) => batch > state.batches);
for (const { outcome, toId, reason, tries, isNewFailure, isRefused } of results) {
	if (!outcome) continue;
	state.counts[outcome] = (state.counts[outcome] ?? 0) + 1;
	if (!isRefused) state.done++;
	const isSuccess = ['sent', 'skipped'].includes(outcome);
	if (!isSuccess) state.failures.push([toId, outcome, reason, names[toId]]);
	if (isNewFailure) state.newFailures++;
	if (isRefused || outcome === 'excluded') continue;
	if (!isSuccess && outcome !== 'unknown' && tries < 3) state.again++;
	// The automatic stop: the first ten messages fail, or a hundred in a row. A second rejection is no news.
	const isNews = state.isNews || isNewFailure || outcome !== 'rejected';
	const [row, isAny] = [isSuccess ? 0 : state.row + 1, state.isAny || isSuccess];
	const brake = isNews && row >= (isAny ? 100 : 10) ? reason : state.brake;
	Object.assign(state, { row, isAny, isNews: !isSuccess && isNews, brake });
}
if (results.length > 0) {
	const batch = jsonsOf('Next Batch');
	const [{ time }, { people, start }] = [results[0], batch[0]];
	const claimed = results.flatMap((each) => each.claimed ?? []);
	const tried = batch.filter(({ toId }) => toId).length;
	const pace = tried > 0 ? (Date.parse(time) - start) / 1000 / tried : state.pace;
	Object.assign(state, { people, batches: state.batches + 1, next: state.next + batch.length });
	Object.assign(state, { time: Date.parse(time), pace: Math.max(seconds, pace) });
	Object.assign(state, {
		claimed: [...state.claimed, ...claimed],
		failures: state.failures.slice(-200),
	});
}
// As long as no message succeeds, ten at most: so many stop a campaign.
state.size = Math.min(state.isAny ? 100 : 10, batchOf(state.pace));

const { error, stop } = $input.first().json;
const failed = String(error?.message ?? error ?? '').replace(/ \[line \d+\]$/, '');
const FULL =
	'n8n could not write to its data tables, which may be full.｜无法写入 n8n 的数据表，可能已满。';
// An item that n8n could not write leaves unchanged, or with an error (2.41, DataTable/actions/router).
const isUnsaved = ({ id, toId, error }) =>
	error !== undefined || typeof id === 'string' || (toId !== undefined && id === undefined);
const isFull = [...jsonsOf('Add to Table'), ...jsonsOf('Save Result')].some(isUnsaved);
const why = isFull ? FULL : state.brake || failed;
const isStarted = $('Save Result').isExecuted;
const isLeft = state.batches === 0 || state.next < state.people + state.claimed.length;
const more = isStarted && !why && !stop && isLeft;
// The pace holds between batches, too. n8n may end code that runs for a minute, so a longer pause is
// in parts. Another execution needs the ten seconds to save what it was sending.
const isSecondCheck = state.people > 0 && state.next === state.people;
const due = state.time + 1000 * Math.max(seconds, isSecondCheck ? 10 : 0);
const pause = more ? Math.min(due - Date.now(), 40_000) : 0;
if (pause > 0) await new Promise((done) => setTimeout(done, pause));

const now = Date.now();
const [{ sends = 0, resends = 0 } = {}] = jsonsOf('Prepare Question');
const total = sends + (also() ? resends : 0);
const { got, excluded } = list;
// People whose outcome stays unknown from earlier runs.
const unknown = jsonsOf('Select Recipients')
	.filter(({ isUnknown }) => isUnknown && !also())
	.map(({ toId, why }) => [toId, 'unknown', why, names[toId]]);
const without = [...unknown, ...others];
const shown = [...state.failures, ...without].slice(0, 200);
const { sent = 0, skipped = 0, ...unsuccessful } = state.counts;
const notSent = Object.values(unsuccessful).reduce((one, other) => one + other, without.length);
const progress = {
	...{ state: more ? 'sending' : stop ? 'stopped' : why ? 'failed' : 'done', why, at: now },
	execution: $execution.id,
	...{ total, done: state.done, counts: state.counts, got, excluded, unknown: unknown.length },
	...{
		pace: state.pace,
		size: state.size,
		left: total - state.done + state.again + (list.more ?? 0),
	},
	failures: more ? state.failures.slice(-8).reverse() : shown,
	rest: more ? 0 : notSent - shown.length,
	isSheetUnsaved: jsonsOf('Write to the Sheet').some(({ error }) => error),
	table: jsonsOf('Create Table If Missing').map(({ id, projectId }) => [projectId, id])[0],
};
const counts = Object.entries(state.counts).map(([outcome, count]) => `${count} ${outcome}`);
const summary = [why.split('｜')[0], counts.join(', ')].filter((part) => part).join('. ');
const json = {
	...{ state, more, waits: more && due > now, stop },
	...{ progress: JSON.stringify(progress), page: forPage({ why }) },
	until: new Date(more ? now + 90_000 : now),
	// The selection of the page is kept until its recipients are in the table.
	plan: isStarted && !isFull ? '' : jsonsOf('Apply Click')[0]?.plan,
	rings: state.newFailures > 0 || why !== '',
	alarm: `${state.newFailures} new failures in ${list.campaign}. ${summary}.`,
};
return [{ json }];
