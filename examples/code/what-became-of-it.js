// What to note in each row. A recipient's rows get the same; the first of them is counted.
const isDry =
	$('Who Is Due').first().json.list.isDry || $input.all().some(({ json }) => json.dryRun);
const asked = $('What Next')
	.all()
	.map(({ json }) => json);
const notes = $input.all().flatMap(({ json }, index) => {
	const { error, skipped, dryRun, request_id } = json;
	const { rows, said, isNew } = asked[index];
	const kept = error?.tried === false ? said : undefined; // what a real try said
	const note = kept ?? {
		status: error?.outcome ?? 'sent',
		request_id: error?.request_id ?? request_id ?? null,
		reason: error?.message ?? null,
		time: new Date().toISOString(),
	};
	const counted = {
		outcome: dryRun ? 'dryRun' : skipped ? 'skipped' : (error?.outcome ?? 'sent'),
		isNewFailure: !isDry && isNew && error !== undefined,
		...(isDry && error && { wrong: error.message }),
	};
	return rows.map(({ id, toId, status, tries }, nth) => ({
		id: isDry ? 0 : id, // there is no row 0
		toId,
		was: status,
		...note,
		tries: (tries ?? 0) + 1,
		...(nth === 0 && counted),
	}));
});

// The brake: nothing of a whole portion went through. That some are rejected again is no news.
const isFailed = ({ outcome }) => ['rejected', 'notSent', 'unknown'].includes(outcome);
const isNews = ({ outcome, isNewFailure }) => isNewFailure || outcome !== 'rejected';
const failed = notes.filter(isFailed);
const brakes = !isDry && failed.length === 100 && failed.some(isNews);
const { at, stopped, run } = asked[0];
const state = {
	portion: $runIndex,
	at,
	stopped,
	run,
	...(brakes && { brake: failed.at(-1).reason }),
};
Object.assign(notes.at(-1), state);
return notes.map((json) => ({ json }));
