// Who is due. All rows of a recipient count as one; only the words in isDue are tried again.
const [{ error } = {}] = jsonsOf('Create Do-Not-Contact If Missing');
const unwantedTable = tableOf('do-not-contact', { toId: undefined }, error?.message ?? error ?? '');
const NEEDS = {
	...strings('toId', 'status', 'reason', 'request_id'),
	tries: 'number',
	time: 'date',
};
const isNewCampaign = !tables.some(({ name }) => name === campaign);
if (isNewCampaign && !isPage) fail(`There is no table ${campaign}, which Settings names.`);
if (!isNewCampaign) tableOf(campaign, NEEDS, 'Give the campaign another name 请换一个活动名称.');
const unwantedRows = rowsOf('Get Do-Not-Contact');
const entries = unwantedRows.map(({ id, toId }) => ({ row: id, toId }));
const unwanted = unwantedIn(entries, 'do-not-contact', 'Nothing was sent.');

const file = readList();
const people = new Map();
const put = (toId, row) => people.set(toId, [...(people.get(toId) ?? []), row]);
for (const row of isNewCampaign ? [] : rowsOf('Get Rows')) put(clean(row.toId), row);
const withoutId = people.get('')?.length ?? 0;
people.delete('');
const added = [];
for (const [toId, status] of file?.listed ?? []) {
	if (!people.has(toId)) added.push({ toId, status });
	if (!people.has(toId) || status) put(toId, { toId, status });
}

const isDue = (word) => ['', 'rejected', 'notsent'].includes(plain(word).replace(/\s/g, ''));
const isDoubt = (word) => plain(word) === 'unknown';
const [due, unknown, excluded, stale, words] = [[], [], [], [], new Map()];
let [got, givenUp] = [0, 0];
for (const [toId, all] of people) {
	const said = all.map(({ status }) => clean(status));
	// What one row says counts for all of them, "sent" before all.
	const isSent = said.some((each) => plain(each) === 'sent');
	const word = said.find((each) => !isDue(each) && !isDoubt(each));
	const isNew = said.every((each) => !each);
	const isUnknown = said.some(isDoubt);
	const tries = Math.max(...all.map((row) => row.tries ?? 0));
	const pairs = new Map(all.map(({ toId, status: was }) => [`${toId}\n${was}`, { toId, was }]));
	const rows = [...pairs.values()];
	const each = { toId, isNew, isUnknown, tries, rows, said: said.find((word) => word) };
	if (isSent) {
		got++;
		stale.push(...rows.filter(({ was }) => !clean(was)));
	} else if (word) words.set(word, (words.get(word) ?? 0) + 1);
	else if (meets(toId, unwanted)) excluded.push(toId);
	else if (!isNew && !isUnknown && tries >= 3) givenUp++;
	else (isUnknown ? unknown : due).push(each);
}
due.sort((one, other) => other.isNew - one.isNew);

// Entries that match nobody may be meant for another campaign; those that look odd may be slips.
const looksOdd = (toId) => {
	const text = plain(toId);
	const isId = /^[\w@:+=/.-]+$/.test(text) && !/^[-+]?[\d.]*[.+-][\d.+-]*$/.test(text);
	return !isId || isCut(text) || /^(?:undefined|null|nan|none|nil|n\/a|true|false)$/.test(text);
};
const recipients = new Set([...people.keys()].flatMap(marksIn));
const isMet = (toId) => unwantedMarksIn(toId).some((mark) => recipients.has(mark));
const there = entries.map(({ toId }) => clean(toId)).filter((toId) => toId);
const oddEntries = there.filter((toId) => looksOdd(toId) && !isMet(toId)).slice(0, 20);

const now = due.slice(0, mostPerRun);
const isCampaign = ({ columns = [] }) =>
	Object.keys(NEEDS).every((name) => columns.some((column) => column.name === name));
const others = tables.filter(isCampaign).map(({ name }) => name);
const times = unwantedRows.map(({ updatedAt }) => updatedAt).sort();
const list = {
	...{ campaign, isPage, isNewCampaign, withoutId, got, givenUp, oddEntries, added: added.length },
	...{ people: people.size, unknown: unknown.length, more: due.length - now.length },
	...{ words: Object.fromEntries(words), isStale: stale.length > 0, isUnprotected: !there.length },
	...{ excluded: excluded.length, excludedIds: excluded.slice(0, 50) },
	video: now.length + unknown.length > 0 ? videoOf() : undefined,
	tester: clean(settings.testRecipient),
	file: file && { ...file, listed: [...file.listed.keys()].slice(0, 2), people: file.listed.size },
	otherCampaigns: isNewCampaign ? others : [],
	unwantedId: unwantedTable.id,
	// Later entries are found by their time: n8n's editor adds an empty row first, and fills it in then.
	since: times.at(-1) ?? '1970-01-01',
};
// "Execute step", Retry and pinned data hand on what another execution chose: see Send Feed Video.
const execution = $execution.id;
const all = [...now, ...unknown].map((each) => ({ ...each, execution }));
const last = { added, stale, execution };
return [{ ...all[0], list }, ...all.slice(1), last].map((json) => ({ json }));
