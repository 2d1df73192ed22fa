import { messageOperation } from './messageOperation';

export const sendFeedVideo = messageOperation({
	value: 'sendFeedVideo',
	name: 'Send Feed Video',
	action: 'Send feed video',
	description: 'Send a feed video to a customer or a group',
	path: '/workchat/messages/send-feed-video',
	content: {
		name: 'feedVideo',
		displayName: 'Feed Video',
		comesWithCallbacks: true,
		notice:
			"The service does not say where to get these fields: a callback may bring them, and the service's provider knows. They are sent as you enter them.",
		fields: [
			{
				name: 'channelName',
				label: 'Channel Name',
				type: 'text',
				placeholder: 'e.g. Example Channel',
			},
			{
				name: 'channelUrl',
				label: 'Channel URL',
				type: 'url',
				placeholder: 'e.g. https://example.com/channel',
			},
			{
				name: 'coverUrl',
				label: 'Cover URL',
				type: 'url',
				placeholder: 'e.g. https://example.com/cover.jpg',
			},
			{
				name: 'encodeData',
				label: 'Encode Data',
				type: 'text',
				isSecret: true,
				placeholder: 'e.g. example-data',
			},
			{
				name: 'headImgUrl',
				label: 'Head Image URL',
				type: 'url',
				placeholder: 'e.g. https://example.com/head.jpg',
			},
			{
				name: 'feedId',
				label: 'Feed ID',
				type: 'text',
				isNumberLike: true,
				placeholder: 'e.g. example-feed',
			},
			{
				name: 'feedNo',
				label: 'Feed No',
				type: 'text',
				isNumberLike: true,
				placeholder: 'e.g. example-number',
			},
			{ name: 'username', label: 'Username', type: 'text', placeholder: 'e.g. example-user' },
		],
	},
});
