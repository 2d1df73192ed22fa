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

/** The parameters that the panel shows for these values, including the options. */
function shown(values: INodeParameters): INodeProperties[] {
	const { properties } = description;
	// Like n8n when it opens a saved node: missing parameters have their default.
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

/** The choices of a parameter, for these values of the other parameters. */
function choices(name: string, values: INodeParameters): INodePropertyOptions[] {
	const parameter = shown(values).find((candidate) => candidate.name === name);
	return (parameter?.options ?? []) as INodePropertyOptions[];
}

test('an unknown operation is an error that names it', async () => {
	expect(findOperation('message', 'download')).toBeUndefined();
	const context = { getNodeParameter: () => 'fly', getNode: () => ({ name: 'Workchat' }) };
	const execution = new Workchat().execute.call(context as unknown as IExecuteFunctions);
	await expect(execution).rejects.toThrow('There is no operation "fly"');
});

/**
 * Names, types and defaults on which saved workflows rely. Those of a later operation are in
 * docs/options.md, which test/dev/documents.test.ts compares with the code.
 */
type Parameters = Array<[name: string, type: string, preset: unknown]>;
const of = (type: string, presets: object): Parameters =>
	Object.entries(presets).map(([name, preset]) => [name, type, preset]);
const texts = (names: string) => names.split(' ').map((name) => of('string', { [name]: '' })[0]!);
const ALWAYS = [
	...of('options', { resource: 'message' }),
	...texts('instanceGuid'),
	...of('boolean', { simplify: false, 'options.dryRun': true }),
	...of('number', { 'options.requestInterval': 0, 'options.maxTries': 3 }),
	...of('collection', { options: {} }),
];
const SEND = [
	...ALWAYS,
	...of('options', { operation: 'sendFeedVideo', specifyFeedVideo: 'fields' }),
	...texts('toId options.sendOnceKey'),
	...of('number', { 'options.maxConcurrency': 1, 'options.timeout': 30_000 }),
	...of('boolean', { 'options.refuseOdd': false, 'options.resendUnknown': false }),
	...of('boolean', { 'options.longIdsMayEndIn0': true }),
];
const FEED_VIDEO = texts(
	'channelName channelUrl coverUrl encodeData headImgUrl feedId feedNo username',
);
const DOWNLOAD = [
	...ALWAYS,
	...of('options', { operation: 'download', specifyFile: 'fields', output: 'binary' }),
	...of('number', { 'options.maxConcurrency': 4, 'options.timeout': 300_000 }),
];
const FILE = [
	...texts('fileAeskey fileAuthkey'),
	...of('number', { fileSize: '' }),
	...of('options', { fileType: '' }),
	...texts('fileUrl'),
];
const FILES = [
	...DOWNLOAD,
	...of('string', { binaryPropertyName: 'data' }),
	...texts('options.fileName options.mimeType options.fileLocation'),
	...of('number', { 'options.maxFileSize': 0 }),
	...of('boolean', { 'options.requireExactSize': false }),
];

/** The default JSON: all fields, empty. */
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
	[download, [...FILES, ...FILE]],
	[{ ...download, specifyFile: 'json' }, [...FILES, ['file', 'json', emptyJson(FILE)]]],
	[{ ...download, specifyFile: 'input' }, [...FILES, ['fileNames', 'notice', '']]],
	[{ ...download, output: 'envelope' }, [...DOWNLOAD, ...FILE]],
])('the panel for %j shows its parameters and no others', (values, expected) => {
	const actual = shown(values).map(({ name, type, default: preset }) => [name, type, preset]);
	expect(actual.sort()).toEqual(expected.sort());
});

test('choices have their documented values and meanings', () => {
	const values = (name: string, of: INodeParameters) => choices(name, of).map(({ value }) => value);
	expect(values('resource', {})).toEqual(expect.arrayContaining(['file', 'message']));
	expect(values('operation', send)).toContain('sendFeedVideo');
	expect(values('operation', download)).toContain('download');
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

const operations = resources.flatMap(({ value: resource, operations: ofResource }) =>
	ofResource.map((operation) => ({ name: operation.name, resource, operation })),
);

test.each(operations)('$name asks for every field of its request', ({ resource, operation }) => {
	const { value, fields, content, parameters } = operation;
	const required = shown({ resource, operation: value }).filter((one) => one.required);
	const names = fields.map(({ name }) => name);
	expect(required.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
	const asJson = parameters.filter(({ name }) => name === content?.name);
	expect(asJson).toMatchObject(content ? [{ type: 'json', required: true }] : []);
});

test('the node says what its operations do', () => {
	for (const { operation } of operations)
		expect(description.description.toLowerCase()).toContain(operation.action.toLowerCase());
});

test("n8n's search finds the nodes by what people look for", () => {
	const wanted = ['workchat', 'message', 'unsubscribe', 'WeCom', '企业微信', '视频号', '私域'];
	const toSend = ['feed video', 'chat file', 'download', 'CRM', 'private domain', '群发'];
	expect(alias).toEqual(expect.arrayContaining([...wanted, ...toSend]));
	const toStart = ['callback', 'webhook', 'event', 'receive', '回调'];
	expect(triggerAlias).toEqual(expect.arrayContaining([...wanted, ...toStart]));
});

test('the node uses the credential, which has its three fields', () => {
	const { name } = new WorkchatApi();
	expect(description.credentials).toMatchObject([{ name, required: true }]);
	const text = { type: 'string', default: '' };
	expect(credentialProperties).toMatchObject([
		{ ...text, name: 'apiKey', required: true, typeOptions: { password: true } },
		{ ...text, name: 'baseUrl', required: true },
		{ ...text, name: 'defaultInstanceGuid' },
	]);
});
