// What to note in each row. A recipient's rows get the same; the first of them is counted.
const { list } = $('Who Is Due').first().json;
const isDry = list.isDry || $input.all().some(({ json }) => json.dryRun);
const asked = $('Still Due')
	.all()
	.map(({ json }) => json);
// Nothing was sent for what another execution chose.
if (!isDry && asked.some(({ execution }) => execution !== $execution.id)) {
	throw new Error(
		'Nothing more was sent. These recipients were chosen by another execution, and somebody may have said stop since. Unpin what is pinned, and click Execute workflow.',
	);
}
const notes = $input.all().flatMap(({ json }, index) => {
	const { error, skipped, dryRun, request_id } = json;
	const { toId, rows = [], said, isNew, execution, isUnwanted } = asked[index];
	if (toId === '' && !isUnwanted) return [];
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
	return rows.map((row, nth) => ({
		...row,
		...(isUnwanted
			? { reason: list.leftOut, isUnwanted, ...(nth === 0 && { outcome: 'unwanted' }) }
			: { ...note, tries: (row.tries ?? 0) + 1, ...(nth === 0 && counted) }),
		id: isDry ? 0 : row.id, // there is no row 0
		toId: row.toId,
		was: row.status,
		execution,
	}));
});

// The brake: nothing of a whole portion went through. That some are rejected again is no news.
const isFailed = ({ outcome }) => ['rejected', 'notSent', 'unknown'].includes(outcome);
const isNews = ({ outcome, isNewFailure }) => isNewFailure || outcome !== 'rejected';
const failed = notes.filter(isFailed);
const tried = asked.filter(({ toId }) => toId !== '').length;
const brakes = !isDry && asked.length === 100 && failed.length === tried && failed.some(isNews);
const brake = asked[0].brake ?? (brakes ? failed.at(-1).reason : undefined);
if (notes.length === 0) notes.push({ id: 0, toId: '' });
Object.assign(notes.at(-1), { portion: $runIndex, brake });
return notes.map((json) => ({ json }));
