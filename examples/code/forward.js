// Nor the chat itself, which would start this again.
const chat = new Set(unwantedMarksIn($('This Part').first().json.chat));
return $('Get Recipients')
	.all()
	.map(chosen)
	.filter(({ json }) => !json.isUnwanted && !meets(json.toId, chat));
