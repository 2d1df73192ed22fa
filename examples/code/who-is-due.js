// Who is due. All rows of a recipient count as one; only the words in isDue are tried again.
const unwanted = unwantedIn(entries, unwantedName, 'Nothing was sent.');
const isDue = (word) => ['', 'rejected', 'notsent'].includes(plain(word).replace(/\s/g, ''));
const people = new Map();
for (const row of rows) {
	const toId = clean(row.toId);
	if (!people.has(toId)) people.set(toId, []);
	people.get(toId).push(row);
}
const withoutToId = people.get('')?.length ?? 0;
people.delete('');
// Each portion gets a copy of all of it, so no more than what is noted.
const noted = ({ id, toId, status, reason, tries, time, request_id }) => {
	return { id, toId, status, reason, tries, time, request_id };
};
const due = [];
const leftAlone = new Map();
const excluded = [];
for (const all of people.values()) {
	const words = all.map(({ status }) => clean(status));
	const word = words.find((each) => !isDue(each)); // of one row, and so of the recipient
	const isNew = words.includes('');
	const isGivenUp = !isNew && all.every(({ tries }) => tries >= 3);
	if (word !== undefined || isGivenUp) {
		leftAlone.set(word ?? words[0], (leftAlone.get(word ?? words[0]) ?? 0) + 1);
	} else if (meets(all[0].toId, unwanted)) {
		excluded.push(all);
	} else {
		const said = all.filter((row) => clean(row.status)).map(noted)[0];
		due.push({ toId: all[0].toId, isNew, rows: all.map(noted), said });
	}
}
due.sort((one, other) => other.isNew - one.isNew);

const long = due.map(({ toId }) => plain(toId)).filter((id) => /^\d{16,}$/.test(id));
if (
	long.length >= 4 &&
	long.every((id) => id.endsWith('0')) &&
	campaign.longIdsMayEndIn0 !== true
) {
	fail(
		`All ${long.length} IDs of 16 digits or more end in 0, such as ${long[0]}: a spreadsheet keeps 15 digits, so these are other people's. Format its column as text, enter the IDs anew from where they come, and put them in place of these. If the IDs are right, set longIdsMayEndIn0 in Campaign to true.`,
	);
}

// Entries that match nobody may be meant for another campaign; those that look odd may be slips.
const looksOdd = (toId) => {
	const text = plain(toId);
	const isId = /^[\p{L}\p{N}@:_+=/.-]+$/u.test(text) && !/^[-+]?[\d.]*[.+-][\d.+-]*$/.test(text);
	return !isId || isCut(text) || /^(?:undefined|null|nan|none|nil|n\/a|true|false)$/.test(text);
};
const recipients = new Set([...people.keys()].flatMap((toId) => idsIn(toId).flatMap(marksOf)));
const isKnown = (toId) => unwantedMarksIn(toId).some((mark) => recipients.has(mark));
const oddEntries = entries
	.filter(({ toId }) => clean(toId) && looksOdd(toId) && !isKnown(toId))
	.map(({ toId }) => toId);

const now = due.slice(0, mostPerRun);
const leftOut = `left out: ${unwantedName}`;
const list = {
	campaignName,
	unwantedName,
	place,
	isDry,
	asks: isClick && !isDry,
	video: due.length > 0 ? videoOf() : undefined,
	tester: clean(campaign.testRecipient),
	count: now.length,
	seconds: now.length * secondsBetween,
	isEmpty: rows.length === 0,
	leftAlone: Object.fromEntries(leftAlone),
	excluded: excluded.length,
	withoutToId,
	more: due.length - now.length,
	isUnprotected: entries.every(({ toId }) => !clean(toId)),
	oddEntries: oddEntries.slice(0, 20),
	leftOut,
	excludedRows: excluded.flat().flatMap((row) => (row.reason === leftOut ? [] : noted(row))),
};
// "Execute step", Retry and pinned data hand on what another execution chose: see Send Feed Video.
const all = now.map((each) => ({ ...each, execution: $execution.id }));
return [{ ...all[0], list }, ...all.slice(1)].map((json) => ({ json }));
