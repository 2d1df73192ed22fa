// What to note in each row: all rows of a recipient get the same, and the first of them is counted.
const { stale } = jsonsOf('Who Is Due').at(-1);
const asked = jsonsOf('Still Due');
// Nothing was sent for what another execution chose.
if (asked.some(({ execution = $execution.id }) => execution !== $execution.id)) {
	throw new Error(
		'Nothing more was sent. These recipients were chosen by another execution, and somebody may have said stop since. Unpin what is pinned, and send the form again.',
	);
}
const time = new Date().toISOString();
const notes = $input.all().flatMap(({ json: { error, skipped, request_id = null } }, at) => {
	const { toId, rows, said, isNew, tries, refused, isUnwanted } = asked[at];
	const outcome = refused ? 'notSent' : (error?.outcome ?? 'sent');
	const isUntried = !refused && error?.tried === false;
	const counted = {
		outcome: isUnwanted ? 'unwanted' : skipped ? 'skipped' : outcome,
		isNewFailure: isNew && !isUnwanted && outcome !== 'sent',
		isTried: toId !== '',
	};
	return rows.map(({ toId, was }, nth) => ({
		...{ toId, was, time, isUntried, request_id: error?.request_id ?? request_id },
		// What a real try said stays.
		status: isUnwanted ? was : isUntried && outcome === 'notSent' && said ? said : outcome,
		reason: isUnwanted ? 'left out: do-not-contact' : (refused ?? error?.message ?? null),
		tries: isUnwanted ? tries : tries + 1,
		wins: outcome === 'sent' && !isUnwanted, // over what others wrote since
		...(nth === 0 && counted),
	}));
});

// The brake: nothing of a whole portion went through. That some are rejected again is no news.
const tried = notes.filter(({ isTried, outcome }) => isTried && outcome !== 'unwanted');
const isNews = ({ outcome, isNewFailure }) => isNewFailure || outcome !== 'rejected';
const isFailed = tried.every(({ outcome }) => !['sent', 'skipped'].includes(outcome));
const brakes = tried.length >= 5 && isFailed && tried.some(isNews);
const brake = brakes ? tried.at(-1).reason : undefined;
const more = asked[0].more && !brake;
// Rows that came later have what their recipients have.
if ($runIndex === 0) notes.push(...stale.map((row) => ({ ...row, status: 'sent', tries: 1 })));
// Another execution may have sent since what this one could not tell.
for (let portion = 0; !more && portion < $runIndex; portion++) {
	for (const { json } of $('What Became of It').all(0, portion)) {
		const { outcome, ...note } = json;
		if (note.isUntried && note.status === 'unknown') notes.push({ ...note, was: 'unknown' });
	}
}
if (notes.length === 0) notes.push({ toId: ' ' });
Object.assign(notes.at(-1), { portion: $runIndex, more, brake });
return notes.map((json) => ({ json: { ...json, execution: $execution.id } }));
