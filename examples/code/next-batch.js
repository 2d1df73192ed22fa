// The next messages, without recipients that were added to do-not-contact since.
const begin = $runIndex > 0 ? 'Nothing more was sent.' : 'Nothing was sent.';
const entries = jsonsOf('Get Do-Not-Contact Again').filter(({ id }) => typeof id === 'number');
const newOnes = entries.map(({ id, toId }) => ({ row: id, toId }));
const unwanted = unwantedIn(newOnes, 'do-not-contact', begin);
const checks = jsonsOf('Check the List');
// Each batch is of one kind, as Resend if Unknown goes by its first item.
const kindOf = ({ refused, isUnknown }) => (refused ? 2 : isUnknown ? 1 : 0);
const people = jsonsOf('Select Recipients')
	.map(({ list, ...each }, at) => ({ ...each, refused: checks[at].error?.message }))
	.filter(({ toId, isUnknown, refused }) => toId && (!isUnknown || (also() && !refused)))
	.sort((one, other) => kindOf(one) - kindOf(other));
const { next, size, claimed } = jsonsOf('Progress')[0].state;
// At the end, those whom another execution was sending to: it has sent by now, or was killed.
const again = people
	.filter(({ toId }) => claimed.includes(toId))
	.map((each) => ({ ...each, isLast: true }));
const [first = { rows: [] }, ...rest] = [...people, ...again].slice(next);
const end = rest.findIndex(
	(each) => kindOf(each) !== kindOf(first) || each.isLast !== first.isLast,
);
const most = first.refused ? 100 : size;
const batch = [first, ...rest.slice(0, Math.min(most - 1, end < 0 ? rest.length : end))];
const facts = { people: people.length, start: Date.now() };
return batch.map((each) => {
	const isUnwanted = each.toId !== undefined && meets(each.toId, unwanted);
	const held = (each.refused || isUnwanted) && { toId: '' };
	return { json: { ...each, isUnwanted, ...held, ...facts } };
});
