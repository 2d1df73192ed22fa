const newEntries = () =>
	$('Look Again') // by its name: else n8n hands over the items of all nodes (2.41, task runner)
		.all()
		.map(({ json }) => json)
		.filter(({ id }) => typeof id === 'number')
		.map(({ id, toId }) => ({ row: id, toId }));
