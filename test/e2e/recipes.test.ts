import { createHash } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer, json } from 'node:stream/consumers';

import { NodeHelpers, type INodeTypeDescription } from 'n8n-workflow';

import { nodeOf, TRIGGER } from '../../dev/engine/workflows';
import { callbacks } from '../../dev/sandbox/inventions';
import { fieldsOf, samples, type Sample } from '../../dev/sandbox/samples';
import { EXAMPLE_TRIGGER, EXAMPLES, type ExampleName } from '../../dev/start/readExample';
import { approveInChat } from './support/chat';
import { asked, customers, endsOf, errorOf, jsonOf, received, says, svc } from './support/messages';
import { lose, refuse } from './support/misbehaviour';
import { serve } from './support/servers';
import { useEditor, useN8n } from './support/setup';
import { runSheet } from './support/sheet';
import { giving, readRecipe, Workflow, type Changes } from './support/workflow';

/** A person imports each recipe, fills it in, and runs it: all goes well, or something fails. */

const here = useN8n();
const opened = useEditor(here);

const SEND = 'Send Feed Video';
const run = async ({ id }: Workflow) => await here.n8n.run(id, EXAMPLE_TRIGGER);

/** Posts a callback to the trigger of a published recipe; resolves to its execution. */
async function receive(recipe: Workflow, callback: object) {
	const before = (await here.n8n.executions(recipe.id)).length;
	expect((await recipe.post(callback)).status).toBe(200);
	return (await recipe.ended(before + 1)).at(-1)!;
}

const { document, largeImage } = samples;
const digest = (content: Buffer) => createHash('sha256').update(content).digest('hex');
const file = (sample: Sample) => fieldsOf(sample, here.sandbox.url);
/** Has the service refuse this one file. */
function lack(sample: Sample): void {
	const { fileUrl } = file(sample);
	const when = (body: Record<string, unknown>) => body.fileUrl === fileUrl;
	here.sandbox.misbehave({ kind: 'refuse', code: 9, message: 'example: it is gone' }, { when });
}
/** What is on disk: names, and digests of contents. */
async function saved(): Promise<Record<string, string>> {
	const files: Record<string, string> = {};
	for (const name of await readdir(here.files)) {
		files[name] = digest(await readFile(join(here.files, name)));
	}
	return files;
}
beforeEach(async () => {
	for (const name of await readdir(here.files)) await rm(join(here.files, name));
});
const publishFiles = async (changes?: Changes) =>
	await Workflow.publish(here, 'save-files-from-callbacks', changes);

/** What is put into a stub of S3 and of Nextcloud, for credentials "S3 account" and "Nextcloud". */
async function openStorages() {
	const objects: Array<{
		path?: string | undefined;
		content: string;
		mimeType?: string | undefined;
	}> = [];
	const url = await serve(async (request, response) => {
		const content = digest(await buffer(request));
		const { url: path, headers, method } = request;
		if (method === 'PUT') objects.push({ path, content, mimeType: headers['content-type'] });
		response.setHeader('Content-Type', 'application/xml');
		response.end('<LocationConstraint xmlns="urn:any">us-east-1</LocationConstraint>');
	});
	const account = { accessKeyId: 'fake-id', secretAccessKey: 'fake-secret', region: 'us-east-1' };
	const s3 = { ...account, endpoint: url, forcePathStyle: true };
	await here.n8n.addCredential('s3', 'S3 account', s3);
	await here.n8n.addCredential('nextCloudApi', 'Nextcloud', { webDavUrl: url });
	return objects;
}

/**
 * A published workflow that fails without its file, and the recipe that tells so to a robot.
 * @param answers of the robot, one after the other
 */
async function importAlarm(...answers: Array<{ status: number; body: object }>) {
	const alarms: unknown[] = [];
	const chat = await serve(async (request, response) => {
		const { status, body } = answers[alarms.length]!;
		alarms.push(await json(request));
		response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
	});
	const recipe = await Workflow.publish(here, 'ring-when-a-workflow-fails', {
		Robot: { values: { robot: 'WeCom' } },
		'Tell Somebody': { parameters: { url: chat } },
	});
	const files = await readRecipe(here, 'save-files-from-callbacks');
	const settings = { ...files.settings, errorWorkflow: recipe.id };
	const failing = await Workflow.add(here, { ...files, settings });
	return { recipe, failing: await failing.publish(), alarms };
}

const video = (number: number) =>
	callbacks.feedVideo({ number, coverUrl: 'https://example.com/cover.jpg', files: [] });

const everyone = customers(1, 2, 3).map((toId) => ({ toId }));

const publishForward = async () =>
	await Workflow.publish(here, 'forward-a-feed-video', { 'Get Recipients': giving(everyone) });

/** Another workflow calls the recipe for three: what it gets back. */
async function importOneVideo() {
	const { id: value } = await Workflow.publish(here, 'send-one-video');
	const parameters = { workflowId: { __rl: true, mode: 'id', value }, options: {} };
	const to = (node: string) => ({ main: [[{ node, type: 'main' as const, index: 0 }]] });
	const { id } = await here.n8n.addWorkflow({
		name: 'Calls another',
		nodes: [
			nodeOf(TRIGGER, 'n8n-nodes-base.manualTrigger'),
			nodeOf('List', '', giving(everyone)),
			nodeOf('Call', 'n8n-nodes-base.executeWorkflow', { typeVersion: 1.2, parameters }),
		],
		connections: { [TRIGGER]: to('List'), List: to('Call') },
	});
	return async () => jsonOf(await here.n8n.run(id, TRIGGER), 'Call');
}

type Recipe = Exclude<
	ExampleName,
	'send-feed-video' | 'download-files' | 'campaign-from-a-table' // which have journeys of their own
>;
const RECIPES: Record<Recipe, { good: () => Promise<void>; failing: () => Promise<void> }> = {
	'campaign-from-google-sheets': {
		good: async () => {
			const { sheet, result } = await runSheet(here);
			expect(asked(here)).toEqual(customers(1, 2, 3));
			const sent = ['sent', svc, ''];
			expect(sheet).toEqual([
				['customer-0', ''],
				['customer-1', ...sent],
				['customer-5', '已发送'],
				['customer-4', 'Sent '],
				['customer-3', ...sent],
				['customer-2', ...sent],
				['customer-1', ...sent],
			]);
			expect(result).toMatchObject({ sent: 3, unknown: 0, leftAlone: { Sent: 1, 已发送: 1 } });
		},
		failing: async () => {
			refuse(here, 'customer-2');
			lose(here, 'customer-3');
			const { sheet, again } = await runSheet(here);
			const sent = ['sent', svc, ''];
			expect(sheet).toEqual([
				['customer-0', ''],
				['customer-1', ...sent],
				['customer-5', '已发送'],
				['customer-4', 'Sent '],
				['customer-3', 'unknown', '', says('closed the connection')],
				['customer-2', 'rejected', svc, says('example reason')],
				['customer-1', ...sent],
			]);
			await again();
			expect(asked(here)).toEqual(customers(1, 2, 3, 2));
		},
	},
	'ring-when-a-workflow-fails': {
		good: async () => {
			const { recipe, failing, alarms } = await importAlarm({ status: 200, body: { errcode: 0 } });
			expect((await receive(failing, file(document))).status).toBe('success');
			lack(largeImage);
			const { id, status } = await receive(failing, file(largeImage));
			expect(status).toBe('error');
			expect((await recipe.ended(1))[0]?.status).toBe('success');
			const text =
				/^Save the files that callbacks bring failed: 1 of 1 files could not be .*\nhttp/s;
			const link = says(`/workflow/${failing.id}/executions/${id}`);
			for (const content of [expect.stringMatching(text) as string, link]) {
				expect(alarms).toEqual([{ msgtype: 'text', text: { content } }]);
			}
		},
		failing: async () => {
			const refusal = { status: 200, body: { errcode: 93000, errmsg: 'no such robot' } };
			const { recipe, failing, alarms } = await importAlarm(refusal, { status: 500, body: {} });
			lack(largeImage);
			await receive(failing, file(largeImage));
			const [refused] = await recipe.ended(1);
			expect(errorOf(refused!)?.message).toMatch(/^Nobody was told.*93000.*no such robot/);
			lack(largeImage);
			await receive(failing, file(largeImage));
			expect((await recipe.ended(2)).map(({ status }) => status)).toEqual(['error', 'error']);
			expect(alarms).toHaveLength(2);
		},
	},
	'sort-failures': {
		good: async () => {
			const execution = await run(await Workflow.import(here, 'sort-failures'));
			expect(endsOf(execution, SEND)).toEqual(['sent', 'sent', 'sent', 'sent']);
			expect(asked(here)).toEqual(customers(1, 2, 3, 4));
			const lists = ['Fix the Values', 'Run Again', 'Ask the Recipient'];
			expect(lists.flatMap((list) => jsonOf(execution, list))).toEqual([]);
		},
		failing: async () => {
			const toId = "={{ $json.toId.replace('customer-4', '') }}";
			const recipe = await Workflow.import(here, 'sort-failures', {
				[SEND]: { parameters: { toId } },
			});
			refuse(here, 'customer-2');
			lose(here, 'customer-3');
			const first = await run(recipe);
			const reasons = (list: string) => jsonOf(first, list).map((each) => [each.toId, each.reason]);
			expect(reasons('Fix the Values')).toEqual([['customer-2', says('example reason')]]);
			expect(reasons('Run Again')).toEqual([['customer-4', says('Recipient ID comes out empty')]]);
			expect(reasons('Ask the Recipient')).toEqual([['customer-3', says('closed the connection')]]);
			const second = await run(recipe);
			expect(asked(here)).toEqual(customers(1, 2, 3, 2));
			expect(jsonOf(second, 'Fix the Values')).toEqual([]);
			expect(jsonOf(second, 'Ask the Recipient')).toMatchObject([{ toId: 'customer-3' }]);
		},
	},
	'save-files-from-callbacks': {
		good: async () => {
			const objects = await openStorages();
			const recipe = await publishFiles({
				'Remove Duplicates': { disabled: false },
				// The first has the name that comes with it.
				'Download File': {
					parameters: { options: { fileName: "={{ $itemIndex ? '#1 100%.pdf' : '' }}" } },
				},
				'Save to S3': {
					disabled: false,
					parameters: { bucketName: 'received-files' },
					credentials: { s3: { id: null, name: 'S3 account' } },
				},
				'Save to Nextcloud': {
					disabled: false,
					credentials: { nextCloudApi: { id: null, name: 'Nextcloud' } },
				},
			});
			const both = [file(document), fieldsOf(document, `${here.sandbox.url}/again`)];
			const { id } = await receive(recipe, both);
			const names = [`${id}-1-${document.name}`, `${id}-2-#1 100%.pdf`];
			const content = digest(document.content);
			expect(await saved()).toEqual(Object.fromEntries(names.map((name) => [name, content])));
			const [named, odd] = names.map(encodeURI);
			const inS3 = { content, mimeType: document.mimeType };
			// n8n's node for Nextcloud gives each file the type of a form (n8n 2.41).
			const inNextcloud = { content, mimeType: 'application/x-www-form-urlencoded' };
			expect(objects).toEqual([
				{ path: `/received-files/${named}`, ...inS3 },
				{ path: `/received-files/${odd?.replace('#', '%23')}`, ...inS3 },
				{ path: `//files/${named}`, ...inNextcloud },
				{ path: `//files/${odd?.replace('#', '_')}`, ...inNextcloud },
			]);
			expect((await receive(recipe, both)).status).toBe('success');
			expect(Object.keys(await saved())).toHaveLength(2);
			expect(objects).toHaveLength(4);
		},
		failing: async () => {
			const recipe = await publishFiles();
			lack(largeImage);
			const failed = await receive(recipe, [file(largeImage), file(document)]);
			expect(errorOf(failed)?.message).toMatch(
				/^1 of 2 files could not be downloaded; the others went to the storage\. \S+photo\.jpg\.encrypted: .*it is gone/,
			);
			expect(Object.values(await saved())).toEqual([digest(document.content)]);
		},
	},
	'forward-a-feed-video': {
		good: async () => {
			const recipe = await publishForward();
			expect(endsOf(await receive(recipe, video(7)), SEND)).toEqual(['sent', 'sent', 'sent']);
			const skipped = ['skipped', 'skipped', 'skipped'];
			expect(endsOf(await receive(recipe, video(7)), SEND)).toEqual(skipped);
			expect(received(here)).toEqual(customers(1, 2, 3));
			expect(here.sandbox.messages[2]).toMatchObject({ feedId: 'fake-feed-id-7' });
		},
		failing: async () => {
			const recipe = await publishForward();
			refuse(here, 'customer-2');
			expect(errorOf(await receive(recipe, video(9)))?.message).toBe(
				'Not everyone got the feed video. customer-2: rejected',
			);
			expect((await receive(recipe, video(9))).status).toBe('success');
			expect(received(here)).toEqual(customers(1, 3, 2));
		},
	},
	'send-one-video': {
		good: async () => {
			const call = await importOneVideo();
			const sent = { status: 'sent', request_id: svc, reason: '' };
			expect(await call()).toEqual(customers(1, 2, 3).map((toId) => ({ toId, ...sent })));
			expect(asked(here)).toEqual(customers(1, 2, 3));
		},
		failing: async () => {
			const call = await importOneVideo();
			refuse(here, 'customer-2');
			lose(here, 'customer-3');
			const sent = { status: 'sent' };
			const rejected = { status: 'rejected', request_id: svc, reason: says('example reason') };
			const unknown = { status: 'unknown', reason: says('closed the connection') };
			expect(await call()).toMatchObject([sent, rejected, unknown]);
			expect(await call()).toMatchObject([{ status: 'skipped' }, sent, { status: 'unknown' }]);
			expect(asked(here)).toEqual(customers(1, 2, 3, 2));
		},
	},
	'ai-agent-that-sends-a-video': {
		good: async () => {
			const question = 'Send the video to customer-1?';
			const told = await approveInChat(here, opened.editor, 'customer-1', question);
			expect(told).toEqual([says('svc_')]);
			expect(asked(here)).toEqual(customers(1));
		},
		failing: async () => {
			const question = 'stranger is not an allowed recipient: nothing will be sent to it.';
			const told = await approveInChat(here, opened.editor, 'stranger', question);
			expect(told).toEqual([says('Recipient ID comes out empty')]);
			expect(asked(here)).toEqual([]);
		},
	},
};

describe.each(Object.entries(RECIPES))('%s', (_, { good, failing }) => {
	test('a good run', good);
	test('a failing run', failing);
});

test("n8n's editor knows, and shows, every parameter of every recipe", async () => {
	const headers = { Cookie: here.n8n.session.cookie };
	const response = await fetch(`${here.n8n.url}/types/nodes.json`, { headers });
	const types = (await response.json()) as INodeTypeDescription[];
	const recipes = await Promise.all(EXAMPLES.map(async (name) => await readRecipe(here, name)));
	for (const node of recipes.flatMap(({ nodes }) => nodes)) {
		const type = types.find(
			({ name, version }) => name === node.type && [version].flat().includes(node.typeVersion),
		);
		if (!type) throw new Error(`n8n does not know ${node.type} ${node.typeVersion}`);
		const { properties } = type;
		const { parameters } = node;
		// The editor drops what it would not show.
		const shown = NodeHelpers.getNodeParameters(properties, parameters, true, false, node, type);
		expect(Object.keys(shown ?? {})).toEqual(expect.arrayContaining(Object.keys(parameters)));
	}
});
