import { messageOperation } from './messageOperation';

const description = 'Passed on unchanged';

export const sendFeedVideo = messageOperation({
	value: 'sendFeedVideo',
	name: 'Send Feed Video',
	action: 'Send a feed video',
	description: 'Send a feed video to a customer or a group',
	path: '/workchat/messages/send-feed-video',
	content: {
		name: 'feedVideo',
		displayName: 'Feed Video',
		fields: [
			{ name: 'channelName', label: 'Channel Name', type: 'text', description },
			{
				name: 'channelUrl',
				label: 'Channel URL',
				type: 'url',
				placeholder: 'e.g. https://example.com/channel',
				description,
			},
			{
				name: 'coverUrl',
				label: 'Cover URL',
				type: 'url',
				placeholder: 'e.g. https://example.com/cover.jpg',
				description,
			},
			{
				name: 'encodeData',
				label: 'Encode Data',
				type: 'text',
				isSecret: true,
				description,
			},
			{
				name: 'headImgUrl',
				label: 'Head Image URL',
				type: 'url',
				placeholder: 'e.g. https://example.com/head.jpg',
				description,
			},
			{ name: 'feedId', label: 'Feed ID', type: 'text', description },
			{ name: 'feedNo', label: 'Feed No', type: 'text', description },
			{ name: 'username', label: 'Username', type: 'text', description },
		],
	},
});
