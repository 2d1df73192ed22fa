import {
	NodeHelpers,
	type IExecuteFunctions,
	type INodeParameters,
	type INodeProperties,
	type INodePropertyOptions,
} from 'n8n-workflow';

import { WorkchatApi } from '../../credentials/WorkchatApi.credentials';
import { findOperation, resources } from '../../nodes/Workchat/operations';
import { Workchat } from '../../nodes/Workchat/Workchat.node';
import { alias } from '../../nodes/Workchat/Workchat.node.json';
import { alias as triggerAlias } from '../../nodes/Workchat/WorkchatTrigger.node.json';

const { description } = new Workchat();
const { properties: credentialProperties } = new WorkchatApi();
const NODE = { typeVersion: 1 };

/** What the panel shows for these values, options of a collection included. */
function shown(values: INodeParameters): INodeProperties[] {
	const { properties } = description;
	// As n8n opens a saved node: with the default of everything that is not said.
	const all = NodeHelpers.getNodeParameters(properties, values, true, false, NODE, description);
	const isShown = (parent: INodeParameters | null) => (parameter: INodeProperties) =>
		NodeHelpers.displayParameter(parent ?? {}, parameter, NODE, description, all ?? {});
	return properties.filter(isShown(all)).flatMap((parameter) => {
		const { name, type, options } = parameter;
		const inside = type === 'collection' ? (options as INodeProperties[]) : [];
		const inIt = inside.filter(isShown({}));
		return [parameter, ...inIt.map((option) => ({ ...option, name: `${name}.${option.name}` }))];
	});
}

/** The choices of a parameter, with these values of others. */
function choices(name: string, values: INodeParameters): INodePropertyOptions[] {
	const parameter = shown(values).find((candidate) => candidate.name === name);
	return (parameter?.options ?? []) as INodePropertyOptions[];
}

test('an operation that is not there is an error, which names it', async () => {
	expect(findOperation('message', 'download')).toBeUndefined();
	const context = { getNodeParameter: () => 'fly', getNode: () => ({ name: 'Workchat' }) };
	const execution = new Workchat().execute.call(context as unknown as IExecuteFunctions);
	await expect(execution).rejects.toThrow('There is no operation "fly"');
});

/** Names, types and defaults that saved workflows rely on, by what shows them. */
type Parameters = Array<[name: string, type: string, preset: unknown]>;
const texts = (...names: string[]): Parameters => names.map((name) => [name, 'string', '']);
const ALWAYS: Parameters = [
	['resource', 'options', 'message'],
	['instanceGuid', 'string', ''],
	['simplify', 'boolean', false],
	['options', 'collection', {}],
	['options.dryRun', 'boolean', true],
	['options.requestInterval', 'number', 0],
	['options.maxTries', 'number', 3],
];
const SEND: Parameters = [
	...ALWAYS,
	['operation', 'options', 'sendFeedVideo'],
	['toId', 'string', ''],
	['specifyFeedVideo', 'options', 'fields'],
	['options.maxConcurrency', 'number', 1],
	['options.timeout', 'number', 30_000],
	['options.longIdsMayEndIn0', 'boolean', true],
	['options.refuseOdd', 'boolean', false],
	['options.resendUnknown', 'boolean', false],
	['options.sendOnceKey', 'string', ''],
];
const FEED_VIDEO = texts(
	...['channelName', 'channelUrl', 'coverUrl', 'encodeData'],
	...['headImgUrl', 'feedId', 'feedNo', 'username'],
);
const DOWNLOAD: Parameters = [
	...ALWAYS,
	['operation', 'options', 'download'],
	['specifyFile', 'options', 'fields'],
	['output', 'options', 'binary'],
	['options.maxConcurrency', 'number', 4],
	['options.timeout', 'number', 300_000],
];
const FILE: Parameters = [
	...texts('fileAeskey', 'fileAuthkey'),
	['fileSize', 'number', ''],
	['fileType', 'options', ''],
	...texts('fileUrl'),
];
const BINARY: Parameters = [
	['binaryPropertyName', 'string', 'data'],
	...texts('options.fileName', 'options.mimeType', 'options.fileLocation'),
	['options.maxFileSize', 'number', 0],
	['options.requireExactSize', 'boolean', false],
];

/** All fields by their names, to be filled in. */
function emptyJson(fields: Parameters): string {
	const empty = fields.map(([name, type]) => [name, type === 'string' ? '' : 0]);
	return JSON.stringify(Object.fromEntries(empty), null, 2);
}

const send = { resource: 'message', operation: 'sendFeedVideo' };
const download = { resource: 'file', operation: 'download' };

test.each<[INodeParameters, Parameters]>([
	[{}, [...SEND, ['feedVideoNotice', 'notice', ''], ...FEED_VIDEO]],
	[{ ...send, specifyFeedVideo: 'json' }, [...SEND, ['feedVideo', 'json', emptyJson(FEED_VIDEO)]]],
	[{ ...send, specifyFeedVideo: 'input' }, [...SEND, ['feedVideoNames', 'notice', '']]],
	[download, [...DOWNLOAD, ...FILE, ...BINARY]],
	[
		{ ...download, specifyFile: 'json' },
		[...DOWNLOAD, ['file', 'json', emptyJson(FILE)], ...BINARY],
	],
	[{ ...download, specifyFile: 'input' }, [...DOWNLOAD, ...BINARY, ['fileNames', 'notice', '']]],
	[{ ...download, output: 'envelope' }, [...DOWNLOAD, ...FILE]],
])('%j shows its parameters and no others', (values, expected) => {
	const actual = shown(values).map(({ name, type, default: preset }) => [name, type, preset]);
	expect(actual.sort()).toEqual(expected.sort());
});

test('choices have their documented values and meanings', () => {
	const values = (name: string, of: INodeParameters) => choices(name, of).map(({ value }) => value);
	expect(values('resource', {})).toEqual(['file', 'message']);
	expect(values('operation', send)).toEqual(['sendFeedVideo']);
	expect(values('operation', download)).toEqual(['download']);
	expect(values('specifyFeedVideo', send)).toEqual(['fields', 'json', 'input']);
	expect(values('specifyFile', download)).toEqual(['fields', 'json', 'input']);
	expect(values('output', download)).toEqual(['binary', 'envelope']);
	expect(choices('fileType', download)).toEqual([
		{ value: 1, name: 'Large Image (1)' },
		{ value: 2, name: 'Small Image (2)' },
		{ value: 3, name: 'Video or Image Thumbnail (3)' },
		{ value: 4, name: 'Video (4)' },
		{ value: 5, name: 'File or Voice File (5)' },
	]);
});

test('every field of a request has to be filled in', () => {
	const required = description.properties.filter((parameter) => parameter.required);
	const fields = ['toId', 'feedVideo', 'file', ...[...FEED_VIDEO, ...FILE].map(([name]) => name)];
	expect(required.map(({ name }) => name)).toEqual(expect.arrayContaining(fields));
});

test("n8n's search finds the nodes by what people look for", () => {
	const actions = resources.flatMap(({ operations }) => operations.map(({ action }) => action));
	for (const action of actions) {
		expect(description.description.toLowerCase()).toContain(action.toLowerCase());
	}
	const wanted = ['workchat', 'message', 'unsubscribe', 'WeCom', '企业微信', '视频号', '私域'];
	const toSend = ['feed video', 'chat file', 'download', 'CRM', 'private domain', '群发'];
	expect(alias).toEqual(expect.arrayContaining([...wanted, ...toSend]));
	const toStart = ['callback', 'webhook', 'event', 'receive', '回调'];
	expect(triggerAlias).toEqual(expect.arrayContaining([...wanted, ...toStart]));
});

test('the credential is the one that the node asks for, and has its fields', () => {
	const { name } = new WorkchatApi();
	expect(description.credentials).toMatchObject([{ name, required: true }]);
	const text = { type: 'string', default: '' };
	expect(credentialProperties).toMatchObject([
		{ ...text, name: 'apiKey', required: true, typeOptions: { password: true } },
		{ ...text, name: 'baseUrl', required: true },
		{ ...text, name: 'defaultInstanceGuid' },
	]);
});
