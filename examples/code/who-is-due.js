// Who is due. All rows of a recipient count as one; only the words in isDue are tried again.
const NOTHING = 'Nothing was sent.';
const [{ error } = {}] = $('Create Do-Not-Contact If Missing')
	.all()
	.map(({ json }) => json);
const unwantedTable = tableOf('do-not-contact', { toId: undefined }, error?.message ?? error ?? '');
const NEEDS = {
	...strings('toId', 'status', 'reason', 'request_id'),
	tries: 'number',
	time: 'date',
};
const isNewCampaign = !tables.some(({ name }) => name === campaign);
if (isNewCampaign && !isPage) fail(`There is no table ${campaign}, which Settings names.`);
const known = isNewCampaign ? [] : rowsOf('Get Rows');
if (!isNewCampaign) tableOf(campaign, NEEDS, 'Give the campaign another name 请换一个活动名称.');
const unwantedRows = rowsOf('Get Do-Not-Contact');
const entries = unwantedRows.map(({ id, toId }) => ({ row: id, toId }));
const unwanted = unwantedIn(entries, 'do-not-contact', NOTHING);

const file = readList();
const people = new Map();
const put = (toId, row) => people.set(toId, [...(people.get(toId) ?? []), row]);
for (const row of known) put(clean(row.toId), row);
const withoutId = people.get('')?.length ?? 0;
people.delete('');
const inTable = people.size;
const added = [];
for (const [toId, status] of file?.listed ?? []) {
	if (!people.has(toId)) added.push({ toId, status });
	if (!people.has(toId) || status) put(toId, { toId, status });
}

const isDue = (word) => ['', 'rejected', 'notsent'].includes(plain(word).replace(/\s/g, ''));
const [due, unknown, excluded, stale] = [[], [], [], []];
const counts = { got: 0, givenUp: 0 };
const words = new Map();
for (const [toId, rows] of people) {
	const said = rows.map(({ status }) => clean(status));
	const word = said.find((each) => !isDue(each) && !/^unknown$/i.test(each));
	const tries = Math.max(...rows.map((row) => row.tries ?? 0));
	const isNew = said.every((each) => !each);
	const pairs = new Map(rows.map((row) => [`${row.toId}\n${row.status ?? ''}`, row]));
	const each = {
		...{ toId, isNew, tries, isUnknown: said.some((each) => /^unknown$/i.test(each)) },
		...{ said: said.find((each) => each), execution: $execution.id },
		rows: [...pairs.values()].map(({ toId, status }) => ({ toId, was: status ?? '' })),
	};
	if (word && /^sent$/i.test(word)) {
		counts.got++;
		if (said.includes('')) stale.push(...each.rows.filter(({ was }) => !clean(was)));
	} else if (word) words.set(word, (words.get(word) ?? 0) + 1);
	else if (meets(toId, unwanted)) excluded.push(toId);
	else if (each.isUnknown) unknown.push(each);
	else if (!isNew && tries >= 3) counts.givenUp++;
	else due.push(each);
}
due.sort((one, other) => other.isNew - one.isNew);

// Entries that match nobody may be meant for another campaign; those that look odd may be slips.
const looksOdd = (toId) => {
	const text = plain(toId);
	const isId = /^[\w@:+=/.-]+$/.test(text) && !/^[-+]?[\d.]*[.+-][\d.+-]*$/.test(text);
	return !isId || isCut(text) || /^(?:undefined|null|nan|none|nil|n\/a|true|false)$/.test(text);
};
const recipients = new Set([...people.keys()].flatMap((toId) => idsIn(toId).flatMap(marksOf)));
const oddEntries = entries
	.map(({ toId }) => clean(toId))
	.filter((toId) => toId && looksOdd(toId))
	.filter((toId) => !unwantedMarksIn(toId).some((mark) => recipients.has(mark)));

const now = due.slice(0, mostPerRun);
const others = tables.filter(({ columns = [] }) =>
	Object.keys(NEEDS).every((name) => columns.some((column) => column.name === name)),
);
const list = {
	...{ campaign, isPage, isNewCampaign, withoutId, ...counts },
	...{ isStale: stale.length > 0, added: added.length },
	video: now.length + unknown.length > 0 ? videoOf() : undefined,
	tester: clean(settings.testRecipient),
	file: file && { ...file, listed: [...file.listed.keys()].slice(0, 2), people: file.listed.size },
	...{ people: people.size, inTable, more: due.length - now.length },
	words: Object.fromEntries(words),
	...{ excluded: excluded.length, excludedIds: excluded.slice(0, 50) },
	...{ unknown: unknown.length, oddEntries: oddEntries.slice(0, 20) },
	isUnprotected: entries.every(({ toId }) => !clean(toId)),
	otherCampaigns: isNewCampaign ? others.map(({ name }) => name).slice(0, 20) : [],
	unwantedId: unwantedTable.id,
	// Later entries are found by their time: n8n's editor adds an empty row first, and fills it in then.
	since:
		unwantedRows
			.map(({ updatedAt }) => updatedAt)
			.sort()
			.at(-1) ?? '1970-01-01',
};
// "Execute step", Retry and pinned data hand on what another execution chose: see Send Feed Video.
const all = [...now, ...unknown];
return [{ ...all[0], list }, ...all.slice(1), { added, stale }].map((json) => ({ json }));
