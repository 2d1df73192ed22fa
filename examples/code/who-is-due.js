// Who is due. All rows of a recipient count as one; only the words in isDue are tried again.
const unwanted = unwantedIn(entries, unwantedName, 'Nothing was sent.');
const isDue = (word) => ['', 'rejected', 'notsent'].includes(word.toLowerCase());
const people = new Map();
for (const row of rows) {
	const toId = clean(row.toId);
	if (!people.has(toId)) people.set(toId, []);
	people.get(toId).push(row);
}
const withoutToId = people.get('')?.length ?? 0;
people.delete('');
const due = [];
const leftAlone = new Map();
let excluded = 0;
for (const all of people.values()) {
	const words = all.map(({ status }) => clean(status));
	const word = words.find((each) => !isDue(each)); // of one row, and so of the recipient
	const isNew = words.includes('');
	const isGivenUp = !isNew && all.every(({ tries }) => tries >= 3);
	if (word !== undefined || isGivenUp) {
		leftAlone.set(word ?? words[0], (leftAlone.get(word ?? words[0]) ?? 0) + 1);
	} else if (meets(all[0].toId, unwanted)) {
		excluded++;
	} else {
		// Each portion gets a copy of all of it, so no more than what is noted.
		const rows = all.map(({ id, toId, status, tries }) => ({ id, toId, status, tries }));
		const before = all.find((row) => clean(row.status));
		const { status, request_id, reason, time } = before ?? {};
		due.push({
			toId: all[0].toId,
			isNew,
			rows,
			...(before && { said: { status, request_id, reason, time } }),
		});
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
const isKnown = (toId) =>
	idsIn(toId)
		.flatMap(unwantedMarksOf)
		.some((mark) => recipients.has(mark));
const oddEntries = entries
	.filter(({ toId }) => clean(toId) && looksOdd(toId) && !isKnown(toId))
	.map(({ toId }) => toId);

// The question.
const now = due.slice(0, mostPerRun);
const more = due.length - now.length;
const named = (count) => (count === 1 ? '1 person' : `${count} people`);
const seconds = now.length * secondsBetween;
const [length, unit] =
	seconds >= 7200 ? [3600, 'hours'] : seconds >= 120 ? [60, 'minutes'] : [1, 'seconds'];
const sum = [...leftAlone.values()].reduce((one, other) => one + other, 0);
const got = [...leftAlone]
	.filter(([word]) => word.toLowerCase() === 'sent')
	.reduce((total, [, count]) => total + count, 0);
const isUnprotected = entries.every(({ toId }) => !clean(toId));
const facts = [
	got > 0 && `${got} got it before`,
	sum > got && `${sum - got} left alone, as the ${place.kind} says`,
	`${excluded} must not be written to${isUnprotected ? ` (the ${place.kind} ${unwantedName} is empty)` : ''}`,
	withoutToId > 0 && `${withoutToId} without toId`,
	more > 0 && `${more} more in the next run`,
].filter((fact) => fact);
const list = {
	isDry,
	asks: isClick && !isDry,
	question: `Send ${campaignName} to ${named(now.length)}?`,
	details: [
		`${facts.join(', ')}.`,
		seconds >= 10 && `It takes about ${Math.round(seconds / length)} ${unit}.`,
		clean(campaign.testRecipient)
			? `${campaign.testRecipient} just got the video: did it arrive as it should?`
			: 'Nobody sees it before: testRecipient in Campaign is empty.',
	]
		.filter((part) => part)
		.join(' '),
	place,
	unwantedName,
	isEmpty: rows.length === 0,
	leftAlone: Object.fromEntries(leftAlone),
	excluded,
	withoutToId,
	more,
	isUnprotected: isUnprotected && !isClick, // a click's question told it
	oddEntries: oddEntries.slice(0, 20),
};
return [{ ...now[0], list }, ...now.slice(1)].map((json) => ({ json }));
