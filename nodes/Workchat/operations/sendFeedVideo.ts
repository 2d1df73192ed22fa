import type { INodeProperties } from 'n8n-workflow';

import type { ItemRequest, Operation } from '../execution/operation';
import { postForEnvelope, requestContextOf, SEND_FEED_VIDEO } from '../service/workchat';
import { FIELDS_OR_JSON, groupParameters, readGroup, type FieldGroup } from './fieldGroup';
import { checkFields, validBody } from './fields';
import { instanceGuidParameter, readInstanceGuid } from './instanceGuid';
import {
	maxConcurrencyOption,
	maxTriesOption,
	numberOption,
	optionsParameter,
	readOptions,
	readRunSettings,
	requestIntervalOption,
	resendUnknownOption,
	timeoutOption,
} from './options';
import { isSimplified, jsonOf, simplifyParameter } from './simplify';

interface SendRequest extends ItemRequest {
	timeout: number;
	simplify: boolean;
}

const toId: INodeProperties = {
	displayName: 'Recipient ID',
	name: 'toId',
	type: 'string',
	default: '',
	required: true,
	description:
		'ID of the customer or group that gets the video. It comes with the callback of a message from them.',
};

const fromCallback =
	'Take it from the callback of a feed video you received. It is passed on unchanged.';
const feedVideo: FieldGroup = {
	specify: {
		displayName: 'Specify Feed Video',
		name: 'specifyFeedVideo',
		type: 'options',
		options: FIELDS_OR_JSON,
		default: 'fields',
		description: 'How to enter the feed video: field by field, or all fields as one JSON object',
	},
	fields: [
		{
			displayName: 'Channel Name',
			name: 'channelName',
			type: 'string',
			default: '',
			required: true,
			description: fromCallback,
		},
		{
			displayName: 'Channel URL',
			name: 'channelUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://example.com/channel',
			description: fromCallback,
		},
		{
			displayName: 'Cover URL',
			name: 'coverUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://example.com/cover.jpg',
			description: fromCallback,
		},
		{
			displayName: 'Encode Data',
			name: 'encodeData',
			type: 'string',
			default: '',
			required: true,
			description: fromCallback,
		},
		{
			displayName: 'Head Image URL',
			name: 'headImgUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://example.com/head.jpg',
			description: fromCallback,
		},
		{
			displayName: 'Feed ID',
			name: 'feedId',
			type: 'string',
			default: '',
			required: true,
			description: fromCallback,
		},
		{
			displayName: 'Feed No',
			name: 'feedNo',
			type: 'string',
			default: '',
			required: true,
			description: fromCallback,
		},
		{
			displayName: 'Username',
			name: 'username',
			type: 'string',
			default: '',
			required: true,
			description: fromCallback,
		},
	],
	json: {
		displayName: 'Feed Video',
		name: 'feedVideo',
		type: 'json',
		default: '{}',
		required: true,
		description:
			'One JSON object with channelName, channelUrl, coverUrl, encodeData, headImgUrl, feedId, feedNo and username. Upper and lower case do not matter, other fields are ignored.',
	},
};

const maxConcurrency = maxConcurrencyOption(1);
const timeout = timeoutOption(30_000);

export const sendFeedVideo: Operation<SendRequest> = {
	value: 'sendFeedVideo',
	name: 'Send Feed Video',
	action: 'Send a feed video',
	description: 'Send a feed video to a customer or a group',
	parameters: [
		instanceGuidParameter,
		toId,
		...groupParameters(feedVideo),
		simplifyParameter,
		optionsParameter([
			maxConcurrency,
			maxTriesOption,
			requestIntervalOption,
			resendUnknownOption,
			timeout,
		]),
	],
	isOnceOnly: true,
	readSettings: (context) => readRunSettings(context, maxConcurrency),
	orderKeyOf: ({ body }) => JSON.stringify([body.instance_guid, body.toId]),
	read(context, itemIndex, connection) {
		const video = readGroup(context, itemIndex, feedVideo);
		const body = validBody(
			readInstanceGuid(context, itemIndex, connection),
			video,
			checkFields([toId], (name) => context.getNodeParameter(name, itemIndex, '')),
		);
		return {
			body,
			remark: video.remark,
			timeout: numberOption(readOptions(context, itemIndex), timeout),
			simplify: isSimplified(context, itemIndex),
			context: requestContextOf(connection, body, false),
		};
	},
	async perform(execution, connection, { simplify, ...request }) {
		const envelope = await postForEnvelope(execution, connection, {
			...request,
			path: SEND_FEED_VIDEO,
		});
		return { json: jsonOf(envelope, simplify) };
	},
};
