// Selects the recipients of this run: people of the table and the list, without those who have the video,
// opted out or failed three times. All rows of a recipient count as one.
// A click starts what its page showed. Retry and pinned data bring the click of another execution.
const [begun] = jsonsOf('Apply Click');
if (begun && begun.execution !== $execution.id)
	fail('Another execution selected these people.', '这些接收人是另一次执行选定的。');
const plan = JSON.parse(begun?.plan || '{}');
const [{ error } = {}] = jsonsOf('Create Do-Not-Contact If Missing');
const unwantedTable = tableOf('do-not-contact', { toId: undefined }, error?.message ?? error ?? '');
const NEEDS = {
	...strings('toId', 'status', 'reason', 'request_id'),
	tries: 'number',
	time: 'date',
};
const isNewCampaign = !tables.some(({ name }) => name === campaign);
if (isNewCampaign && !isPage && !begun)
	fail(
		`There is no table ${campaign}, which Settings names.`,
		`没有 Settings 中指定的表 ${campaign}。`,
	);
if (!isNewCampaign)
	tableOf(campaign, NEEDS, 'Choose another name for the campaign.', '请换一个活动名称。');
const unwantedRows = rowsOf('Get Do-Not-Contact');
const entries = unwantedRows.map(({ id, toId }) => ({ row: id, toId }));
const unwanted = unwantedIn(entries, 'do-not-contact', 'Nothing was sent.');

const file = begun ? undefined : readList();
if (file?.asks) return [{ json: { list: file } }];
const [people, names] = [new Map(), {}];
const put = (toId, row) => {
	people.set(toId, [...(people.get(toId) ?? []), row]);
	if (clean(row.name)) names[toId] = clean(row.name);
};
for (const row of isNewCampaign ? [] : rowsOf('Get Rows')) put(clean(row.toId), row);
const withoutId = people.get('')?.length ?? 0;
people.delete('');
const added = [];
// The click has no file, so the plan keeps its people and its words about people in the table.
const listed = (file?.all ?? plan.listed ?? []).filter(([toId, status, name]) => {
	const isNew = !people.has(toId);
	if (isNew) added.push({ toId, status, name });
	if (isNew || status) put(toId, { toId, status, name });
	if (name) names[toId] = name;
	return isNew || status;
});

const isDue = (word) => ['', 'rejected', 'notsent'].includes(plain(word).replace(/\s/g, ''));
const isDoubt = (word) => plain(word) === 'unknown';
const [due, unknown, excluded, stale, words] = [[], [], [], [], new Map()];
let [got, givenUp, later] = [0, 0, 0];
// Recipients that this run skips, and why.
const others = [];
const confirmed = plan.ids && new Set(plan.ids);
for (const [toId, all] of people) {
	const said = all.map(({ status }) => clean(status));
	// The status of one row counts for all of them, and sent counts most.
	const isSent = said.some((each) => plain(each) === 'sent');
	const word = said.find((each) => !isDue(each) && !isDoubt(each));
	const isNew = said.every((each) => !each);
	const isUnknown = said.some(isDoubt);
	const tries = Math.max(...all.map((row) => row.tries ?? 0));
	const pairs = new Map(all.map(({ toId, status: was }) => [`${toId}\n${was}`, { toId, was }]));
	const rows = [...pairs.values()];
	const each = { toId, isNew, isUnknown, tries, rows, said: said.find((word) => word) };
	const why = all.find(({ reason }) => reason)?.reason;
	if (isSent) {
		got++;
		stale.push(...rows.filter(({ was }) => !clean(was)));
	} else if (word) {
		words.set(word, (words.get(word) ?? 0) + 1);
		others.push([toId, word]);
		// A word of the file stays in the table, so that a later run without the file heeds it.
		const isOfFile = all.at(-1).id === undefined;
		if (isOfFile)
			stale.push(...rows.filter(({ was }) => isDue(was)).map((row) => ({ ...row, status: word })));
	} else if (meets(toId, unwanted)) {
		excluded.push(toId);
		others.push([toId, 'excluded']);
	} else if (!isNew && !isUnknown && tries >= 3) {
		givenUp++;
		others.push([toId, each.said, why]);
	} else if (confirmed && !confirmed.has(toId)) later += isUnknown ? 0 : 1;
	else (isUnknown ? unknown : due).push(isUnknown ? { ...each, why } : each);
}
due.sort((one, other) => other.isNew - one.isNew);

// An entry that matches nobody may be for another campaign. If no ID is in it, it may be a mistake.
const looksOdd = (toId) =>
	isCut(plain(toId)) || !(ID.test(plain(toId)) || idsIn(toId).flat().some(isId));
const there = entries.map(({ toId }) => clean(toId)).filter((toId) => toId);
const odd = there.filter(looksOdd);
const recipients = new Set(odd.length > 0 ? [...people.keys()].flatMap(marksIn) : []);
const isMet = (toId) => unwantedMarksIn(toId).some((mark) => recipients.has(mark));
const oddEntries = odd.filter((toId) => !isMet(toId)).slice(0, 20);

const now = due.slice(0, mostPerRun);
const isCampaign = ({ columns = [] }) =>
	Object.keys(NEEDS).every((name) => columns.some((column) => column.name === name));
const campaigns = tables.filter(isCampaign).map(({ name }) => name);
const times = unwantedRows.map(({ updatedAt }) => updatedAt).sort();
const inFile = (file?.all ?? []).map(([toId, , name]) =>
	[toId, name].filter((text) => text).join(' '),
);
const list = {
	...{ campaign, isPage, isNewCampaign, withoutId, got, givenUp, oddEntries, added: added.length },
	inFile: inFile.length,
	...{ people: people.size, unknown: unknown.length, more: later + due.length - now.length },
	...{ words: Object.fromEntries(words), isStale: stale.length > 0, isUnprotected: !there.length },
	...{ excluded: excluded.length, excludedIds: excluded.slice(0, 50) },
	video: now.length + unknown.length > 0 ? videoOf(begun?.video) : undefined,
	tester: clean(settings.testRecipient),
	file: file && { ...file, all: [...inFile.slice(0, 2), ...inFile.slice(2).slice(-2)] },
	otherCampaigns: isNewCampaign ? campaigns : [],
	unwantedId: unwantedTable.id,
	// Later entries are found by their time: n8n's editor first adds an empty row, then fills it in.
	since: times.at(-1) ?? '1970-01-01',
};
// Execute step, Retry and pinned data bring recipients of another execution, to whom Send Feed Video sends nothing.
const execution = $execution.id;
const all = [...now, ...unknown].map((each) => ({ ...each, execution }));
// Long lists are in the last item: n8n copies the first one whenever an expression reads it (2.41).
const named = others.map(([toId, status, reason]) => [toId, status, reason, names[toId]]);
const last = { added, listed, stale, names, others: named, execution };
return [{ ...all[0], list }, ...all.slice(1), last].map((json) => ({ json }));
