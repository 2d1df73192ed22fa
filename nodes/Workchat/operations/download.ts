import { updateDisplayOptions, type INodeProperties } from 'n8n-workflow';

import type { Operation, Remark } from '../execution/operation';
import {
	receiveFile,
	requestEnvelope,
	type DownloadRequest,
	type ReceivedFile,
} from '../service/file/receiveFile';
import { storeFile, type FileNaming } from '../service/file/storeFile';
import { envelopeOperation, type EnvelopeRequest } from './envelopeOperation';
import type { FieldGroup } from './fields/field';
import { readParameter } from './fields/nodeParameters';
import { numberOption, textOption, withUnit } from './options';
import { jsonOf } from './simplify';

interface DownloadItem extends EnvelopeRequest, DownloadRequest, FileNaming {
	body: DownloadRequest['body'];
	output: 'binary' | 'envelope';
	binaryPropertyName: string;
}

const FILE = 'file';
/**
 * From the service's documentation; `kind` names a file that comes without a name. All but a
 * {@link FILE} are images or videos, of which none is text.
 */
const FILE_TYPES = [
	{ value: 1, name: 'Large Image', kind: 'image' },
	{ value: 2, name: 'Small Image', kind: 'image' },
	{ value: 3, name: 'Video or Image Thumbnail', kind: 'thumbnail' },
	{ value: 4, name: 'Video', kind: 'video' },
	{ value: 5, name: 'File or Voice File', kind: FILE },
];

const file: FieldGroup = {
	name: 'file',
	displayName: 'File',
	comesWithCallbacks: true,
	fields: [
		{
			name: 'fileAeskey',
			label: 'File AES Key',
			type: 'text',
			isSecret: true,
			placeholder: 'e.g. example-aes-key',
			description: 'AES key of the file',
		},
		{
			name: 'fileAuthkey',
			label: 'File Auth Key',
			type: 'text',
			isSecret: true,
			placeholder: 'e.g. example-auth-key',
			description: 'Authorization key of the file',
		},
		{
			name: 'fileSize',
			label: 'File Size',
			type: 'integer',
			description: 'A whole number. Its unit is not documented: pass on the number you have.',
		},
		{
			name: 'fileType',
			label: 'File Type',
			type: 'integer',
			options: FILE_TYPES,
			description: 'Kind of the file',
		},
		{
			name: 'fileUrl',
			label: 'File URL',
			type: 'url',
			placeholder: 'e.g. https://example.com/file',
			description: 'Link of the file',
		},
	],
};

const outputParameter: INodeProperties = {
	displayName: 'Output',
	name: 'output',
	type: 'options',
	options: [
		{
			name: 'Binary File',
			value: 'binary',
			description: 'The file itself, for nodes that store or send files',
		},
		{
			name: 'Service Response',
			value: 'envelope',
			description: 'The whole response as JSON. Links in it are not followed.',
		},
	],
	default: 'binary',
	description: 'What the node returns',
};
const binaryPropertyParameter: INodeProperties = {
	displayName: 'Put Output File in Field',
	name: 'binaryPropertyName',
	type: 'string',
	default: 'data',
	required: true,
	hint: 'The name of the output binary field to put the file in',
	displayOptions: { show: { output: ['binary'] } },
};

const maxFileSize: INodeProperties = {
	displayName: withUnit('Max File Size', 'MB'),
	name: 'maxFileSize',
	type: 'number',
	typeOptions: { minValue: 0, maxValue: 1e9 },
	default: 0,
	description: 'Largest file to accept, in megabytes of 1,000,000 bytes. 0 means no limit.',
};
const binaryOptions = updateDisplayOptions({ show: { '/output': ['binary'] } }, [
	{
		displayName: 'File Location',
		name: 'fileLocation',
		type: 'string',
		default: '',
		placeholder: 'e.g. files[0].url',
		description:
			"Where in the response's data the file is, as a link or as base64. Leave empty to have it found.",
	},
	{
		displayName: 'File Name',
		name: 'fileName',
		type: 'string',
		default: '',
		placeholder: 'e.g. invoice.pdf',
		description: 'Name of the output file. Leave empty to use the name that comes with the file.',
	},
	maxFileSize,
	{
		displayName: 'MIME Type',
		name: 'mimeType',
		type: 'string',
		default: '',
		placeholder: 'e.g. application/pdf',
		description: 'MIME type of the output file. Leave empty to detect it.',
	},
	{
		displayName: 'Require Exact Size',
		name: 'requireExactSize',
		type: 'boolean',
		default: false,
		description:
			"Whether to refuse a file unless it has exactly 'File Size' bytes. Use this only if your 'File Size' is in bytes: its unit is not documented.",
	},
]);

const operation = envelopeOperation({
	value: 'download',
	name: 'Download File',
	action: 'Download file',
	description: 'Download a file from a personal chat',
	path: '/workchat/files/wx-download',
	isRepeatable: true,
	content: file,
	parameters: [outputParameter, binaryPropertyParameter],
	options: binaryOptions,
	maxConcurrency: 4,
	timeout: 300_000,
});

export const download: Operation<DownloadItem> = {
	...operation,
	async read(context, itemIndex, credential) {
		const request = await operation.read(context, itemIndex, credential);
		const body = request.body as DownloadRequest['body'];
		const { options } = request;
		const { kind = FILE } = FILE_TYPES.find(({ value }) => value === body.fileType) ?? {};
		return {
			...request,
			body,
			output: readParameter(context, 'output', itemIndex, 'binary') as DownloadItem['output'],
			binaryPropertyName: String(
				readParameter(context, 'binaryPropertyName', itemIndex, '') || 'data',
			),
			fileLocation: textOption(options, 'fileLocation'),
			fileName: textOption(options, 'fileName'),
			mimeType: textOption(options, 'mimeType'),
			kind,
			maxBytes: numberOption(options, maxFileSize) * 1e6,
			isMedia: kind !== FILE,
			exactBytes: options.requireExactSize === true ? body.fileSize : undefined,
		};
	},
	async perform(context, credential, item) {
		if (item.output === 'envelope') {
			const envelope = await requestEnvelope(context, credential, item);
			return { json: jsonOf(envelope, item.simplify) };
		}
		const received = await receiveFile(context, credential, item);
		const stored = await storeFile(context, received, item);
		const json = received.envelope ? jsonOf(received.envelope, item.simplify) : {};
		return {
			json: { ...json, file: stored.file },
			binary: { [item.binaryPropertyName]: stored.binary },
			remarks: remarksOn(received, item.body.fileSize),
		};
	},
};

const OTHER_SIZE =
	"The size of the file differs from 'File Size'. It may be incomplete, or 'File Size' is not in bytes";
const NO_LENGTH =
	'The file came without its length, so nobody can tell whether it is complete. Compare it with the original';

/** No failures, as the unit of `fileSize` is not documented, and HTTP allows a body without length. */
function remarksOn({ bytes, hasLength }: ReceivedFile, fileSize: number): Remark[] {
	return [
		...(bytes() === fileSize ? [] : [{ text: OTHER_SIZE }]),
		...(hasLength ? [] : [{ text: NO_LENGTH }]),
	];
}
