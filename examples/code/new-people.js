// Whom the file adds to the table: all of them, also those beyond the most of this run.
return $('Who Is Due')
	.last()
	.json.added.map((json) => ({ json }));
