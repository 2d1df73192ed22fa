// What to save in each row: all rows of a recipient get the same, and the first of them is counted.
const { stale } = jsonsOf('Select Recipients').at(-1);
const batch = jsonsOf('Next Batch');
// Nothing was sent to recipients that another execution selected.
if (batch.some(({ execution = $execution.id }) => execution !== $execution.id)) {
	throw new Error(
		'Nothing more was sent. Another execution selected these recipients, and some may have opted out since. Unpin the data, and submit the form again.',
	);
}
const time = new Date().toISOString();
const results = $input.all().flatMap(({ json: { error, skipped, request_id = null } }, at) => {
	const { rows, said, isNew, tries, refused, isUnwanted, isLast } = batch[at];
	const outcome = isUnwanted ? 'excluded' : refused ? 'notSent' : (error?.outcome ?? 'sent');
	const isTried = error?.tried !== false;
	// Another execution may be sending it right now, and then saves its result itself.
	if (outcome === 'unknown' && !isTried && !isLast) return [{ claimed: batch[at].toId, time }];
	const counted = {
		outcome: skipped ? 'skipped' : outcome,
		isNewFailure: isNew && outcome !== 'sent' && outcome !== 'excluded',
		isRefused: refused !== undefined,
	};
	return rows.map(({ toId, was }, nth) => ({
		...{ toId, was, time, request_id: error?.request_id ?? request_id },
		// The result of an earlier attempt stays.
		status: isUnwanted
			? was
			: !isTried && !refused && outcome === 'notSent' && said
				? said
				: outcome,
		reason: isUnwanted ? 'excluded: do-not-contact' : (refused ?? error?.message ?? null),
		tries: isUnwanted ? tries : tries + 1,
		wins: outcome === 'sent', // over what another execution saved meanwhile
		...(nth === 0 && counted),
	}));
});
// Rows that were added later get the result of their recipient.
if ($runIndex === 0) results.push(...stale.map((row) => ({ status: 'sent', tries: 1, ...row })));
return (results.length > 0 ? results : [{}]).map((json) => ({
	json: { ...json, batch: $runIndex + 1, execution: $execution.id },
}));
