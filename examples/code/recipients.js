// The form hands on its answer only: the recipients come back here.
return $('Who Is Due')
	.all()
	.map(({ json: { list, ...each } }) => ({ json: each }));
