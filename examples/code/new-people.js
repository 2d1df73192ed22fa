// Whom the file adds to the table: all of them, also those beyond the most of this run.
return $('Who Is Due')
	.first()
	.json.list.added.map((json) => ({ json }));
