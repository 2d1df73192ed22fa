import { createHash } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';

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

/** The paths that n8n's node asks a Nextcloud to write to, for a credential "Nextcloud". */
async function openNextcloud(): Promise<Array<string | undefined>> {
	const paths: Array<string | undefined> = [];
	const webDavUrl = await serve((request, response) => {
		paths.push(request.url);
		request.resume().on('end', () => response.end());
	});
	await here.n8n.addCredential('nextCloudApi', 'Nextcloud', { webDavUrl });
	return paths;
}

/** A published workflow that fails without its file, and the recipe that tells so to a robot. */
async function importAlarm(answer: object) {
	const alarms: Array<{ msgtype?: string; text?: { content: string } }> = [];
	const chat = await serve(async (request, response) => {
		alarms.push((await json(request)) as object);
		response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
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
			expect(sheet.map(([toId, word]) => `${toId} ${word}`).join()).toBe(
				'customer-0 ,customer-1 sent,customer-5 已发送,customer-4 Sent ,customer-3 sent,customer-2 sent,customer-1 sent',
			);
			expect(sheet.at(-1)).toEqual(['customer-1', 'sent', svc, '']);
			expect(result).toMatchObject({ sent: 3, leftAlone: { Sent: 1, 已发送: 1 } });
		},
		failing: async () => {
			refuse(here, 'customer-2');
			lose(here, 'customer-3');
			const { sheet, again } = await runSheet(here);
			expect(sheet.slice(4, 6)).toEqual([
				['customer-3', 'unknown', '', says('closed the connection')],
				['customer-2', 'rejected', svc, says('example reason')],
			]);
			await again();
			expect(asked(here)).toEqual(customers(1, 2, 3, 2));
		},
	},
	'ring-when-a-workflow-fails': {
		good: async () => {
			const { recipe, failing, alarms } = await importAlarm({ errcode: 0 });
			expect((await receive(failing, file(document))).status).toBe('success');
			lack(largeImage);
			const { id, status } = await receive(failing, file(largeImage));
			expect(status).toBe('error');
			expect((await recipe.ended(1))[0]?.status).toBe('success');
			const [{ msgtype, text } = {}] = alarms;
			expect(msgtype).toBe('text');
			const reason = /^Save the files that callbacks bring failed: 1 of 1 files .*\nhttp/s;
			expect(text?.content).toMatch(reason);
			expect(text?.content).toContain(`/workflow/${failing.id}/executions/${id}`);
		},
		failing: async () => {
			const { recipe, failing } = await importAlarm({ errcode: 93000, errmsg: 'no such robot' });
			lack(largeImage);
			await receive(failing, file(largeImage));
			const [ended] = await recipe.ended(1);
			expect(errorOf(ended!)?.message).toMatch(/^Nobody was told.*93000.*no such robot/);
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
			const paths = await openNextcloud();
			const recipe = await publishFiles({
				'Remove Duplicates': { disabled: false },
				'Download File': { parameters: { options: { fileName: '#1 100%.pdf' } } },
				'Save to Nextcloud': {
					disabled: false,
					credentials: { nextCloudApi: { id: null, name: 'Nextcloud' } },
				},
			});
			const both = [file(document), fieldsOf(document, `${here.sandbox.url}/again`)];
			const { id } = await receive(recipe, both);
			const names = [1, 2].map((number) => `${id}-${number}-#1 100%.pdf`);
			const content = digest(document.content);
			expect(await saved()).toEqual(Object.fromEntries(names.map((name) => [name, content])));
			expect(paths).toEqual(names.map((name) => encodeURI(`//files/${name.replace('#', '_')}`)));
			expect((await receive(recipe, both)).status).toBe('success');
			expect(Object.keys(await saved())).toHaveLength(2);
			expect(paths).toHaveLength(2);
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
