// A portion, without those who came onto the list since, and without all after the brake. They stay
// as items that nothing is sent for, as n8n's loop ends where a node hands on none.
const { list } = $('Who Is Due').first().json;
const became = $('What Became of It');
const brake = became.isExecuted ? became.last().json.brake : undefined;
const begin = became.isExecuted ? 'Nothing more was sent.' : 'Nothing was sent.';
const unwanted = unwantedIn(newEntries(begin), list.unwantedName, begin);
return $('Loop Over Items')
	.all(1)
	.map(({ json }) => {
		const isUnwanted = !brake && meets(json.toId, unwanted);
		return { json: brake || isUnwanted ? { ...json, toId: '', isUnwanted, brake } : json };
	});
