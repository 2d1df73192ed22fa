import { buffer, json } from 'node:stream/consumers';

import { NodeHelpers, type INodeTypeDescription } from 'n8n-workflow';

import type { WorkflowJson } from '../../dev/engine/engine';
import { nodeOf, outputOf, TRIGGER, VIDEO } from '../../dev/engine/workflows';
import { kinCallbacks } from '../../dev/sandbox/kin';
import { fieldsOf, samples, type Sample } from '../../dev/sandbox/samples';
import { EXAMPLES, type ExampleName } from '../../dev/start/readExample';
import { eventually } from './support/editor';
import { Google } from './support/google';
import {
	asked,
	customers,
	endsOf,
	errorOf,
	jsonOf,
	lose,
	received,
	refuse,
	says,
	svc,
} from './support/messages';
import { OpenAiStub } from './support/openAiStub';
import { serve } from './support/servers';
import { contentsOf, useN8n, withEditor } from './support/setup';
import { chosenTable, tableOf } from './support/tables';
import {
	BY_HAND,
	chainOf,
	click,
	giving,
	readRecipe,
	step,
	Workflow,
	type Changes,
} from './support/workflow';

/** A person imports each recipe, fills it in, and runs it: all goes well, or something fails. */

const google = new Google();
const here = withEditor(useN8n(async (folder) => await google.start(folder)));

const SEND = 'Send Feed Video';

/** Posts a callback to the trigger of a published recipe; resolves to its execution. */
async function receive(recipe: Workflow, callback: unknown) {
	const before = (await here.n8n.executions(recipe.id)).length;
	expect((await recipe.post(callback)).status).toBe(200);
	return (await recipe.ended(before + 1)).at(-1)!;
}

const { document, largeImage } = samples;
const file = (sample: Sample) => fieldsOf(sample, here.sandbox.url);
/** Has the service refuse this one file. */
function lack(sample: Sample): void {
	const refusal = { kind: 'refuse', code: 9, message: 'example: it is gone' } as const;
	here.sandbox.misbehave(refusal, { when: ({ fileUrl }) => fileUrl === file(sample).fileUrl });
}
const publish = async (name: ExampleName, changes?: Changes) =>
	await (await Workflow.import(here, name, changes)).publish();

/** The path and the content of what is put into a stub of S3 and of Nextcloud, with a credential for each. */
async function openStorages() {
	const objects: unknown[] = [];
	const url = await serve(async (request, response) => {
		const content = await buffer(request);
		if (request.method === 'PUT') objects.push([request.url, content]);
		response.setHeader('Content-Type', 'application/xml');
		response.end('<LocationConstraint xmlns="urn:any">us-east-1</LocationConstraint>');
	});
	const account = { accessKeyId: 'fake-id', secretAccessKey: 'fake-secret', region: 'us-east-1' };
	const s3 = { ...account, endpoint: url, forcePathStyle: true };
	await here.n8n.addCredential('s3', 'S3 account', s3);
	await here.n8n.addCredential('nextCloudApi', 'Nextcloud', { webDavUrl: url });
	return objects;
}

/** A callback as services of this kind post it. */
const kin = (kind: keyof typeof kinCallbacks, number = 1) => {
	const files = Object.values(samples).map(file);
	return kinCallbacks[kind]({ number, coverUrl: 'https://example.com/cover.jpg', files });
};

/** With columns that are named as fields of the video are. */
const everyone = customers(1, 2, 3).map((toId) => ({ toId, feedVideo: '', username: '小王' }));

/** With what "Catch a feed video" keeps, under the name that recipes come with. */
const choosingVideo = async () => ({
	'Get Feed Video': await chosenTable(here, [{ name: 'Example Channel 1', ...VIDEO, from: 'own' }]),
});

/** Another workflow calls the recipe for three: whom it takes what it is told for, and what became of them. */
async function importOneVideo() {
	const { id: value } = await publish('send-one-video', await choosingVideo());
	const parameters = { workflowId: { __rl: true, mode: 'id', value }, options: {} };
	const jsonOutput = "={{ { told: $('List').item.json.toId + ' ' + $json.status } }}";
	const told = { typeVersion: 3.4, parameters: { mode: 'raw', jsonOutput, options: {} } };
	const workflow = chainOf(
		'Calls another',
		BY_HAND,
		nodeOf('List', '', giving(everyone)),
		nodeOf('Call', 'n8n-nodes-base.executeWorkflow', { typeVersion: 1.2, parameters }),
		nodeOf('Told', 'n8n-nodes-base.set', told),
	);
	const { id } = await here.n8n.addWorkflow(workflow);
	return async () => jsonOf(await here.n8n.run(id, TRIGGER), 'Told').map(({ told }) => told);
}

/**
 * Opens the recipe with the AI agent in n8n's chat. There a person asks for a video to somebody, the
 * model calls the tool, and the person approves what the recipe asks: what the tool tells the model then.
 */
async function openChat() {
	const { editor } = here;
	const model = await OpenAiStub.start();
	await here.n8n.addCredential('openAiApi', 'Model', { apiKey: 'fake-key', url: model.url });
	const recipe = await Workflow.import(here, 'ai-agent-that-sends-a-video', {
		...(await choosingVideo()),
		'Chat Model': { credentials: { openAiApi: { id: null, name: 'Model' } } },
	});
	await editor.openWorkflow(recipe.id);
	await editor.see('workflow-chat-button').click();
	const input = editor.see('chat-input');
	const latest = editor.page.locator('.chat-messages-list .chat-message').last();
	const shows = async (lines: string[]) =>
		await eventually(async () => expect((await latest.innerText()).split(/\n+/)).toEqual(lines));

	return async (Recipient_ID: string, question: string): Promise<string[]> => {
		// As n8n asks the model for them: what the tool takes, and what the approval takes.
		const parameters = { toolParameters: { Recipient_ID }, hitlParameters: {} };
		model.willCall([{ tool: 'Send_Feed_Video', arguments: parameters }]);
		await input.fill(`Send the video to ${Recipient_ID}`);
		// The chat takes nothing while an execution is under way, as it is after its last words.
		await eventually(async () => {
			await input.press('Enter');
			expect(await input.inputValue()).toBe('');
		});
		await shows([question, 'Approve', 'Decline']);
		await latest.getByRole('button', { name: 'Approve' }).click();
		await shows([model.lastWords]);
		return model.toolMessages;
	};
}

/** The campaign from a Google Sheet: a click that is answered with Yes. */
async function importSheet(meanwhile: () => Promise<void>) {
	await here.n8n.addCredential('googleApi', 'Google', Google.credential);
	const credentials = { googleApi: { id: null, name: 'Google' } };
	const byRobot = { parameters: { authentication: 'serviceAccount' }, credentials };
	const nodes = ['Get Rows', 'Can It Be Noted?', 'Get Do-Not-Contact', 'Get Do-Not-Contact Again'];
	nodes.push('Get Rows Again', 'Note It');
	const { id } = await Workflow.import(here, 'campaign-from-google-sheets', {
		Campaign: { values: { secondsBetween: 0 } },
		...Object.fromEntries(nodes.map((node) => [node, byRobot])),
	});
	return async () => await click(here, id, undefined, meanwhile);
}

/** Those without a journey of their own. */
type Recipe = Exclude<ExampleName, 'catch-a-feed-video' | 'campaign-from-a-table'>;
const RECIPES: Record<Recipe, () => Promise<void>> = {
	'send-feed-video': async () => {
		const page = await here.editor.browser.newPage();
		await page.goto(here.sandbox.url);
		const { id } = await Workflow.import(here, 'send-feed-video');
		for (const end of ['sent', 'skipped']) {
			expect(endsOf(await click(here, id), SEND)).toEqual([end, end, end]);
		}
		expect(received(here)).toEqual(customers(1, 2, 3));
		await page.locator('#messages [data-to-id] img.cover').nth(2).waitFor();
		await page.close();
	},
	'download-files': async () => {
		const { id } = await Workflow.import(here, 'download-files');
		expect((await click(here, id)).status).toBe('success');
		const originals = Object.values(samples).map(({ name, content }) => [name, content]);
		expect(await contentsOf(here.files)).toEqual(Object.fromEntries(originals));
	},
	'campaign-from-google-sheets': async () => {
		const { sheets } = google;
		const words = ['', ' Rejected', '\u00a0', 'Sent ', '', ''];
		const rows = words.map((word, at) => [`customer-${(at % 5) + 1}`, word, '小王']);
		sheets.List = [['Recipient_ID ', 'STATUS', 'Name'], ...rows];
		sheets['do-not-contact'] = [['toId'], ['somebody']];
		refuse(here, 'customer-2');
		lose(here, 'customer-3');
		await receive(await publish('catch-a-feed-video'), kin('kinOwnFeedVideo', 7));
		const run = await importSheet(async () => {
			sheets.List!.splice(1, 6, ['customer-0', ''], ...rows.reverse());
			sheets['do-not-contact']!.push(['customer-5']);
		});
		google.isReadOnly = true;
		expect(errorOf(await run())?.message).toMatch(/^Forbidden/);
		expect(asked(here)).toEqual([]);
		google.isReadOnly = false;
		const ended = await run();
		expect(here.sandbox.messages[0]).toMatchObject({ feedId: 'fake-feed-id-7' });
		const counts = { sent: 1, rejected: 1, unknown: 1, excluded: 1, newFailures: 1 };
		expect(jsonOf(ended, 'Result')).toMatchObject([{ ...counts, leftAlone: { Sent: 1 } }]);
		expect(asked(here)).toEqual(customers(1, 3, 2));
		const sent = ['customer-1', 'sent', '小王', '', '1', svc];
		expect(sheets.List).toEqual([
			['Recipient_ID ', 'STATUS', 'Name', 'reason', 'tries', 'request_id'],
			['customer-0', ''],
			sent,
			['customer-5', '', '小王'],
			['customer-4', 'Sent ', '小王'],
			['customer-3', 'unknown', '小王', says('closed the connection'), '1', ''],
			['customer-2', 'rejected', '小王', says('example reason'), '1', svc],
			sent,
		]);
	},
	'skip-people-who-unsubscribe': async () => {
		const recipe = await publish('skip-people-who-unsubscribe');
		const said = (content: string, senderId: string | number = 'customer-1') => ({
			...{ msgType: 2, userId: 'myself', senderId, msgData: { content } },
		});
		const number = 7881300000333444;
		await receive(recipe, { data: [said('stop, it, please'), said('T', 'myself'), said('')] });
		await receive(recipe, [said(' S t o P。'), said('🛑 退订～', number)]);
		await receive(recipe, said('ＴＤ'));
		const statuses = (await recipe.ended(3)).map(({ status }) => status);
		expect(statuses).toEqual(Array(3).fill('success'));
		const rows = await (await tableOf(here, 'do-not-contact')).rows();
		expect(rows.map(({ toId }) => toId)).toEqual(['customer-1', String(number)]);
	},
	'alert-when-a-workflow-fails': async () => {
		const alarms: Array<{ text: { content: string } }> = [];
		const robot = await serve(async (request, response) => {
			alarms.push((await json(request)) as (typeof alarms)[0]);
			const errcode = alarms.length === 2 ? 93000 : 0;
			response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ errcode }));
		});
		const recipe = await publish('alert-when-a-workflow-fails', {
			Robot: { values: { robot: 'WeCom' } },
			'Tell Somebody': { parameters: { url: robot } },
		});
		const files = await readRecipe(here, 'save-files-from-callbacks');
		const settings = { ...files.settings, errorWorkflow: recipe.id };
		const failing = await (await Workflow.add(here, { ...files, settings })).publish();
		lack(largeImage);
		const { id } = await receive(failing, kin('kinPicture'));
		await recipe.ended(1);
		await receive(recipe, kin('kinText')); // tells nobody
		await here.sandbox.postCallback(recipe.url, 'kinOffline');
		const statuses = (await recipe.ended(4)).map(({ status }) => status);
		expect(statuses).toEqual(['success', 'success', 'error', 'success']);
		const link = `\nhttp.*/workflow/${failing.id}/executions/${id}`;
		expect(alarms.map(({ text }) => text.content)).toEqual([
			expect.stringMatching(RegExp(`^Save the files .* failed: 1 of 1 .*${link}`, 's')),
			says('may be offline: logged out on the phone (code 11022)'),
			// It is its own error workflow (n8n 2.41, execute-error-workflow.js).
			says('Alert when a workflow fails failed: Nobody was told, as the robot refused it: {"err'),
		]);
	},
	'sort-failures': async () => {
		const toId = JSON.stringify([...customers(1, 2, 3), '']);
		const changes = { ...(await choosingVideo()), Recipients: { values: { toId } } };
		const { id } = await Workflow.import(here, 'sort-failures', changes);
		refuse(here, 'customer-2');
		lose(here, 'customer-3');
		const failing = await click(here, id);
		const lists = ['Fix the Values', 'Run Again', 'Ask the Recipient'];
		const told = (list: string) => jsonOf(failing, list).map(({ toId, reason }) => [toId, reason]);
		expect(lists.map(told)).toEqual([
			[['customer-2', says('example reason')]],
			[['', says('Recipient ID comes out empty')]],
			[['customer-3', says('closed the connection')]],
		]);
		// To those whom that execution chose.
		const stale = outputOf(await step(here, id, SEND, failing), SEND, 1);
		const reasons = stale.map(({ json }) => (json.error as Error).message);
		expect(reasons).toEqual(Array(4).fill(says('click Execute workflow')));
		const second = await click(here, id);
		expect(asked(here)).toEqual(customers(1, 2, 3, 2));
		expect(lists.map((list) => jsonOf(second, list).length)).toEqual([0, 1, 1]);
	},
	'save-files-from-callbacks': async () => {
		const objects = await openStorages();
		const recipe = await publish('save-files-from-callbacks', {
			'Remove Duplicates': { disabled: false },
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
		const text = JSON.stringify(kin('kinTwoInstances'));
		const both = JSON.parse(text.replace('"report.pdf"', '"报告 2026 #1 100%.pdf"')) as object;
		expect((await here.sandbox.postCallback(recipe.url, 'kinText')).status).toBe(200); // starts nothing
		const { id } = await receive(recipe, both);
		const instances = here.sandbox.requests.flatMap(({ body }) => body?.instance_guid ?? []);
		expect(new Set(instances).size).toBe(2);
		const [name, odd] = [`${id}-1-image.jpg`, `${id}-2-报告 2026 #1 100%.pdf`];
		const [image, pdf] = [largeImage.content, document.content];
		const saved = { [name]: image, [odd]: pdf };
		expect(await contentsOf(here.files)).toEqual(saved);
		expect(objects).toEqual([
			[`/received-files/${name}`, image],
			[`/received-files/${encodeURI(odd).replace('#', '%23')}`, pdf],
			[`//files/${name}`, image],
			[`//files/${encodeURI(odd).replace('#', '_')}`, pdf],
		]);
		expect((await receive(recipe, both)).status).toBe('success');
		expect(objects).toHaveLength(4);

		lack(largeImage);
		const failed = await receive(await publish('save-files-from-callbacks'), both);
		expect(errorOf(failed)?.message).toMatch(
			/^1 of 2 files could not be downloaded; the others went to the storage\. \S+photo\.jpg\.encrypted: .*it is gone/,
		);
		const after = { ...saved, [`${failed.id}-1-报告 2026 #1 100%.pdf`]: pdf };
		expect(await contentsOf(here.files)).toEqual(after);
	},
	'forward-a-feed-video': async () => {
		const chat = '7881300000333444';
		const changes = { 'Get Recipients': await chosenTable(here, [...everyone, { toId: chat }]) };
		const text = JSON.stringify(await readRecipe(here, 'forward-a-feed-video', changes));
		const filledIn = JSON.parse(text.replace('"rightValue":""', `"rightValue":"${chat}"`));
		const recipe = await (await Workflow.add(here, filledIn as WorkflowJson)).publish();
		expect((await here.sandbox.postCallback(recipe.url, 'kinFile')).status).toBe(200); // starts nothing
		const fromPhone = await receive(recipe, kin('kinOwnFeedVideo', 7));
		expect(endsOf(fromPhone, SEND)).toEqual(['sent', 'sent', 'sent']);
		const back = await receive(recipe, kin('kinFeedVideo', 7));
		expect(endsOf(back, SEND)).toEqual(['skipped', 'skipped', 'skipped']);
		expect(received(here)).toEqual(customers(1, 2, 3));
		expect(here.sandbox.messages[2]).toMatchObject({ feedId: 'fake-feed-id-7' });

		refuse(here, 'customer-2');
		expect(errorOf(await receive(recipe, kin('kinFeedVideo', 9)))?.message).toBe(
			'Not everyone got the feed video. customer-2: rejected',
		);
		expect((await receive(recipe, kin('kinFeedVideo', 9))).status).toBe('success');
		const elsewhere = JSON.stringify(kin('kinOwnFeedVideo', 10)).replaceAll(chat, 'customer-1');
		expect((await receive(recipe, JSON.parse(elsewhere))).status).toBe('success');
		expect(received(here)).toEqual(customers(1, 2, 3, 1, 3, 2));
	},
	'send-one-video': async () => {
		refuse(here, 'customer-2');
		lose(here, 'customer-3');
		const call = await importOneVideo();
		expect(await call()).toEqual(['customer-1 sent', 'customer-2 rejected', 'customer-3 unknown']);
		expect(await call()).toEqual(['customer-1 skipped', 'customer-2 sent', 'customer-3 unknown']);
		expect(asked(here)).toEqual(customers(1, 2, 3, 2));
		expect(here.sandbox.messages[0]).toMatchObject(VIDEO);
	},
	'ai-agent-that-sends-a-video': async () => {
		const approve = await openChat();
		const question = 'Send the video to customer-1?';
		expect(await approve('customer-1', question)).toEqual([says('svc_')]);
		const warning = 'stranger is not an allowed recipient: nothing will be sent to it.';
		const refusal = says('Recipient ID comes out empty');
		expect(await approve('stranger', warning)).toEqual([refusal]);
		expect(asked(here)).toEqual(customers(1));
	},
};

test.each(Object.entries(RECIPES))('%s', async (_, runs) => await runs());

test("n8n's editor knows, and shows, every parameter of every recipe", async () => {
	const headers = { Cookie: here.n8n.cookie };
	const response = await fetch(`${here.n8n.url}/types/nodes.json`, { headers });
	const types = (await response.json()) as INodeTypeDescription[];
	const recipes = await Promise.all(EXAMPLES.map(async (name) => await readRecipe(here, name)));
	for (const node of recipes.flatMap(({ nodes }) => nodes)) {
		const type = types.find(
			({ name, version }) => name === node.type && [version].flat().includes(node.typeVersion),
		);
		if (!type) throw new Error(`n8n does not know ${node.type} ${node.typeVersion}`);
		const [properties, parameters] = [type.properties, node.parameters];
		// The editor drops what it would not show.
		const shown = NodeHelpers.getNodeParameters(properties, parameters, true, false, node, type);
		expect(Object.keys(shown ?? {})).toEqual(expect.arrayContaining(Object.keys(parameters)));
	}
});
