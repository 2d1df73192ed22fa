/** The request bodies, as the service documents them. All fields are required. */

const sendFields = [
	'instance_guid',
	'channelName',
	'channelUrl',
	'coverUrl',
	'encodeData',
	'headImgUrl',
	'feedId',
	'feedNo',
	'username',
	'toId',
];

export const sendFeedVideoBody = objectOf(
	Object.fromEntries(sendFields.map((name) => [name, text()])),
);

export const downloadBody = objectOf({
	instance_guid: text(),
	fileAeskey: text(),
	fileAuthkey: text(),
	fileSize: { type: 'integer' },
	fileType: { type: 'integer', enum: [1, 2, 3, 4, 5] },
	fileUrl: text(),
});

function text() {
	return { type: 'string', minLength: 1 };
}

function objectOf(properties: Record<string, object>) {
	return {
		type: 'object',
		properties,
		required: Object.keys(properties),
		additionalProperties: false,
	};
}
