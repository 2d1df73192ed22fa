// Nobody on do-not-contact. Whom an earlier execution chose, Send Feed Video refuses.
const entries = $('Get Do-Not-Contact')
	.all()
	.map(({ json }) => json)
	.filter((json) => Object.keys(json).length > 0); // n8n gives an empty one for an empty table
if (!entries.every((entry) => 'toId' in entry)) {
	throw new Error('Nothing was sent. Get Do-Not-Contact is off, or its table has no column toId.');
}
const unwanted = unwantedIn(
	entries.map(({ id, toId }) => ({ row: id, toId })),
	'do-not-contact',
	'Nothing was sent.',
);
const chosen = (item) => {
	const isUnwanted = meets(item.json.toId, unwanted);
	return { ...item, json: { ...item.json, execution: $execution.id, isUnwanted } };
};
