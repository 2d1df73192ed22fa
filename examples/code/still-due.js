// A portion: ten at first, then a hundred, so that a service that fails stops it early. Without those
// who came onto do-not-contact since.
const begin = $runIndex > 0 ? 'Nothing more was sent.' : 'Nothing was sent.';
const entries = jsonsOf('Look Again').filter(({ id }) => typeof id === 'number');
const newOnes = entries.map(({ id, toId }) => ({ row: id, toId }));
const unwanted = unwantedIn(newOnes, 'do-not-contact', begin);
const [{ answer = '' } = {}] = jsonsOf('Send It?');
const checks = jsonsOf('Check the List');
const all = jsonsOf('Who Is Due')
	.map(({ list, ...each }, at) => ({ ...each, refused: checks[at].error?.message }))
	.filter(({ toId }) => toId !== undefined);
const kinds = [
	all.filter(({ isUnknown, refused }) => !isUnknown && !refused),
	all.filter(({ isUnknown, refused }) => isUnknown && !refused && /unknown/.test(answer)),
	all.filter(({ isUnknown, refused }) => !isUnknown && refused),
];
const portions = [];
for (const kind of kinds) {
	while (kind.length > 0) portions.push(kind.splice(0, portions.length ? 100 : 10));
}
const portion = (portions[$runIndex] ?? [{ rows: [] }]).map((each) => {
	const isUnwanted = each.toId !== undefined && meets(each.toId, unwanted);
	return { ...each, isUnwanted, ...((each.refused || isUnwanted) && { toId: '' }) };
});
return portion.map((json) => ({ json: { ...json, more: $runIndex + 1 < portions.length } }));
