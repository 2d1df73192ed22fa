// Whom the file adds to the table: all of them, also those beyond the most of this run.
return jsonsOf('Who Is Due')
	.at(-1)
	.added.map((json) => ({ json }));
