import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

import { NodeHelpers, type INodeTypeDescription } from 'n8n-workflow';

import { nodeOf, TRIGGER, VIDEO } from '../../dev/engine/workflows';
import { callbackKinds, type CallbackKind } from '../../dev/sandbox/callbackKinds';
import { fieldsOf, samples, type Sample } from '../../dev/sandbox/samples';
import { EXAMPLES, type ExampleName } from '../../dev/start/readExample';
import { eventually } from './support/editor';
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
} from './support/messages';
import { serve } from './support/servers';
import { contentsOf, useN8n, withEditor } from './support/setup';
import { addTable, removeTables, tableOf } from './support/tables';
import {
	BY_HAND,
	chainOf,
	click,
	giving,
	readRecipe,
	Workflow,
	type Changes,
} from './support/workflow';

/** A person imports each recipe, fills it in, and runs it: all goes well, or something fails. */

const here = withEditor(useN8n());
beforeEach(async () => await removeTables(here));

const [SEND, DOWNLOAD, SAVE] = ['Send Feed Video', 'Download File', 'Save to Disk'];

const { largeImage } = samples;
const publish = async (name: ExampleName, changes?: Changes) =>
	await (await Workflow.import(here, name, changes)).publish();

/** Has the service refuse this one file. */
function lack(sample: Sample): void {
	const refusal = { kind: 'refuse', code: 9, message: 'example: it is gone' } as const;
	const { fileUrl } = fieldsOf(sample, here.sandbox.url);
	here.sandbox.misbehave(refusal, { when: (body) => body.fileUrl === fileUrl });
}

/** Events as compatible services post them. */
function eventsOf(kind: CallbackKind, number = 1, more: object = {}): object[] {
	const files = Object.values(samples).map((sample) => fieldsOf(sample, here.sandbox.url));
	const time = 1_790_000_000 + number;
	const given = { number, time, coverUrl: 'https://example.com/cover.jpg', files, ...more };
	return (callbackKinds[kind](given) as { data: object[] }).data;
}
const said = (senderId: string, text: string, number = 1) =>
	eventsOf('text', number, { senderId, text });

/** Publishes the recipe for one video, with this table for it; gives its ID. */
async function publishOneVideo(table: string): Promise<string> {
	const row = { name: 'Example Channel 1', ...VIDEO, from: 'own' };
	const dataTableId = { __rl: true, mode: 'list', value: await addTable(here, table, [row]) };
	const changes = { 'Get Feed Video': { parameters: { dataTableId } } };
	return (await publish('send-one-video', changes)).id;
}

/** Who says stop, as somebody writes it into the table, which is there then. */
async function unwanted(...entries: string[]): Promise<void> {
	const table = await tableOf(here, 'do-not-contact');
	await table.insert(entries.map((toId) => ({ toId })));
}

/** Another workflow calls the recipe for three: whom it takes what it is told for, and what became of them. */
async function callOneVideo(value: string) {
	const parameters = { workflowId: { __rl: true, mode: 'id', value }, options: {} };
	const jsonOutput = "={{ { told: $('List').item.json.toId + ' ' + $json.status } }}";
	const told = { typeVersion: 3.4, parameters: { mode: 'raw', jsonOutput, options: {} } };
	// With columns that are named as fields of the video are.
	const everyone = customers(1, 2, 3).map((toId) => ({ toId, feedVideo: '', username: '小王' }));
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
 * sandbox's chat model calls the tool, and the person approves or declines. The chat then shows the report.
 */
async function openChat() {
	const { editor } = here;
	await here.n8n.addCredential('openAiApi', 'Model', here.sandbox.chatModelCredential);
	const value = await publishOneVideo('for-the-agent');
	const workflowId = { __rl: true, mode: 'list', value };
	const recipe = await publish('ai-agent-that-sends-a-video', {
		'Send One Video': { parameters: { workflowId } },
		'Chat Model': { credentials: { openAiApi: { id: null, name: 'Model' } } },
	});
	await editor.openWorkflow(recipe.id);
	await editor.see('workflow-chat-button').click();
	const input = editor.see('chat-input');
	const latest = editor.page.locator('.chat-messages-list .chat-message').last();
	const shows = async (lines: string[]) =>
		await eventually(async () => expect((await latest.innerText()).split(/\n+/)).toEqual(lines));

	return async (
		toId: string,
		{ answer = 'Approve', meanwhile = async () => {} },
		...report: string[]
	) => {
		await input.fill(`Send the video to ${toId}`);
		// The chat takes nothing while an execution is under way, as it is after its last words.
		await eventually(async () => {
			await input.press('Enter');
			expect(await input.inputValue()).toBe('');
		});
		await shows([`Send the video to ${toId}?`, 'Approve', 'Decline']);
		await meanwhile();
		await latest.getByRole('button', { name: answer }).click();
		await shows(report);
	};
}

/** Publishes the alarm, and gives what its bot is told; it refuses the third. */
async function openAlarm() {
	const alarms: string[] = [];
	const bot = await serve(async (request, response) => {
		alarms.push(((await json(request)) as { text: { content: string } }).text.content);
		const errcode = alarms.length === 3 ? 93000 : 0;
		response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ errcode }));
	});
	const recipe = await publish('alert-when-a-workflow-fails', {
		Bot: { values: { bot: ' 企业微信 ' } },
		'Notify Bot': { parameters: { url: bot } },
	});
	return { alarms, recipe };
}

/** Posts events as one callback; gives how many executions that began, and why any of them failed. */
async function come(recipe: Workflow, ...events: object[]) {
	const known = new Set((await here.n8n.executions(recipe.id)).map(({ id }) => id));
	expect((await recipe.post({ code: 0, data: events })).status).toBe(200);
	const all = (await recipe.settled(known.size + 1)).filter(({ id }) => !known.has(id));
	const reasons = all.flatMap((execution) => errorOf(execution)?.message ?? []);
	return { count: all.length, reasons: reasons.sort() };
}

/** Those without a journey of their own. */
type Recipe = Exclude<ExampleName, `campaign${string}` | 'alert-when-a-workflow-fails'>;
const RECIPES: Record<Recipe, () => Promise<void>> = {
	'send-feed-video': async () => {
		const page = await here.editor.browser.newPage();
		await page.goto(here.sandbox.url);
		const { id } = await Workflow.import(here, 'send-feed-video');
		for (const [end, node] of [
			['sent', 'Sent'],
			['skipped', 'Already Sent'],
		] as const) {
			const execution = await click(here, id);
			expect(endsOf(execution, SEND)).toEqual([end, end, end]);
			expect(endsOf(execution, node)).toEqual([end, end, end]);
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
	'what-comes-in': async () => {
		const { alarms, recipe: alarm } = await openAlarm();
		const asItComes = await readRecipe(here, 'what-comes-in');
		const settings = { ...asItComes.settings, errorWorkflow: alarm.id };
		const recipe = await (await Workflow.add(here, { ...asItComes, settings })).publish();
		const quoting = '「小王：回复退订可取消」\n- - - - - -\n@小店\u2005退订';
		const offline =
			'The account may be offline: instance 4F0C2B7E-19D3-4A56-8E21-7C90AB3D11F4, logged';
		const first = await come(
			recipe,
			...[...eventsOf('ownFeedVideo', 7), ...said('customer-1', quoting), ...eventsOf('picture')],
			...[...eventsOf('text'), ...eventsOf('offline'), ...said('1688850000111222', 'stop')],
		);
		expect(first).toEqual({ count: 5, reasons: [says(offline)] });
		expect(await come(recipe, ...eventsOf('text'))).toEqual({ count: 1, reasons: [] });
		expect(here.sandbox.requests).toEqual([]);
		const note = '2026-09-21 14:13:21 UTC: 退订';
		const people = await tableOf(here, 'do-not-contact');
		expect(await people.rows()).toMatchObject([{ toId: 'customer-1', note }]);
		const videos = await tableOf(here, 'feed-videos');
		const own = { name: null, feedId: 'fake-feed-id-7', from: 'own', account: '1688850000111222' };
		const caughtAt = '2026-09-21T14:13:27.000Z';
		expect(await videos.rows()).toMatchObject([{ ...own, caughtAt }]);

		// The newest of those without a name stays, by the time of their events; each account has its own.
		const echo = async (cover: string, seconds: number, more = {}) => {
			const coverUrl = `https://example.com/${cover}.jpg`;
			const [event] = eventsOf('ownFeedVideo', 7, { coverUrl });
			const timestamp = 1_790_000_000 + seconds;
			const { reasons } = await come(recipe, { ...event, timestamp, ...more });
			expect(reasons).toEqual([]);
			return (await videos.rows()).map(({ coverUrl }) => /(\w+)\.jpg/.exec(String(coverUrl))?.[1]);
		};
		expect(await echo('newer', 20)).toEqual(['newer']);
		expect(await echo('older', 10)).toEqual(['newer']);
		await videos.edit(1, { name: 'Spring' });
		expect(await echo('newer', 30)).toEqual(['newer']);
		expect(await echo('newest', 40)).toEqual(['newer', 'newest']);
		const other = { userId: 'other', senderId: 'other' };
		expect(await echo('others', 50, other)).toEqual(['newer', 'newest', 'others']);

		const chat = '7881300000333444';
		const isOn = { disabled: false };
		const on = { [SEND]: isOn, [DOWNLOAD]: isOn, [SAVE]: isOn };
		const changes = { Settings: { values: { forwardChat: chat } }, ...on };
		await recipe.edit(await readRecipe(here, 'what-comes-in', changes), settings);
		await unwanted('"customer-2", customer-5');
		const all = [...customers(1, 2, 3, 4), chat].map((toId) => ({ toId }));
		await addTable(here, 'forward-to', all);
		lack(largeImage);
		refuse(here, 'customer-4');
		const elsewhere = eventsOf('ownFeedVideo', 8).map((event) => ({ ...event, receiverId: 'x' }));
		const second = await come(
			recipe,
			...[
				...elsewhere,
				...eventsOf('ownFeedVideo', 8),
				...eventsOf('picture'),
				...eventsOf('file', 9),
			],
			...eventsOf('file', 9, { senderId: 'x' }),
			...said('customer-1', 'start', 2),
		);
		const gone = says('it is gone');
		const failed = 'Not everyone got the feed video. customer-4: rejected';
		expect(second).toEqual({ count: 8, reasons: [failed, gone] });
		expect(received(here)).toEqual(['customer-3']);
		expect(here.sandbox.messages[0]).toMatchObject({ feedId: 'fake-feed-id-8' });
		const file = /^2026-09-21 141329 [0-9a-f]{8} 报告 2026\.pdf$/;
		expect(Object.keys(await contentsOf(here.files))).toEqual(
			Array(2).fill(expect.stringMatching(file)),
		);
		expect((await people.rows()).map(({ toId }) => toId)).toEqual(['"customer-2", customer-5']);
		// What a campaign sends into this chat comes back, too.
		const again = await come(recipe, ...eventsOf('ownFeedVideo', 7), ...eventsOf('file', 9));
		expect(again).toEqual({ count: 4, reasons: [] });
		const results = (await recipe.settled(0)).flatMap((each) => jsonOf(each, 'Not Forwarded'));
		expect(results).toEqual([{ result: says('To forward it, delete its rows in feed-videos') }]);
		expect([received(here).length, Object.keys(await contentsOf(here.files)).length]).toEqual([
			1, 2,
		]);

		const rings = await alarm.settled(3);
		const link = `.*\nhttp.*/workflow/${recipe.id}/executions/\\d+$`;
		const rung = (words: string) => expect.stringMatching(RegExp(words + link, 's')) as string;
		expect(alarms.sort()).toEqual([
			rung('^What comes in failed in Download File: .*it is gone'),
			rung('^What comes in failed in Fail: Account Offline: The account may be offline'),
			rung('^What comes in failed in Fail: Not Sent to All: Not everyone'),
		]);
		const refused = says('The alert was not delivered. The bot refused it: {"errcode":93000}');
		// Two executions failed at once: either of them may have been the third to alert.
		const messages = rings.flatMap((ring) => errorOf(ring)?.message ?? []);
		expect([rings.length, messages]).toEqual([3, [refused]]);
	},
	'send-one-video': async () => {
		refuse(here, 'customer-2');
		lose(here, 'customer-3');
		const call = await callOneVideo(await publishOneVideo('for-another-workflow'));
		expect(await call()).toEqual(['customer-1 sent', 'customer-2 rejected', 'customer-3 unknown']);
		await unwanted('Customer-2 ');
		expect(await call()).toEqual([
			'customer-1 skipped',
			'customer-2 leftOut',
			'customer-3 unknown',
		]);
		expect(asked(here)).toEqual(customers(1, 2, 3));
		expect(here.sandbox.messages[0]).toMatchObject(VIDEO);
	},
	'ai-agent-that-sends-a-video': async () => {
		const ask = await openChat();
		await ask('customer-1', {}, 'The tool reports for customer-1: sent.');
		const meanwhile = async () => await unwanted('customer-2');
		const leftOut = 'The tool reports for customer-2: leftOut, left out: do-not-contact.';
		await ask('customer-2', { meanwhile }, leftOut);
		await ask('customer-3', { answer: 'Decline' }, 'Nothing was sent, because you declined.');
		expect(asked(here)).toEqual(customers(1));
	},
};

test.each(Object.entries(RECIPES))('%s', async (_, runs) => await runs());

test('an opt-out counts with all that a chat adds, in any unit of time; a sentence with one is listed to check', async () => {
	const changes = { Settings: { values: { stopWords: '"退订"｜TD/别发了' } } };
	const asChanged = await readRecipe(here, 'what-comes-in', changes);
	const settings = { ...asChanged.settings, timezone: 'Asia/Shanghai' };
	const recipe = await (await Workflow.add(here, { ...asChanged, settings })).publish();
	const writes = async (sender: string, text: string, timestamp: unknown) => {
		const events = said(sender, text).map((event) => ({ ...event, timestamp }));
		expect(await come(recipe, ...events)).toEqual({ count: 1, reasons: [] });
	};
	const people = async () => {
		const rows = await (await tableOf(here, 'do-not-contact')).rows();
		return rows.map(({ toId, note }) => `${toId}: ${note}`);
	};
	await writes('customer-1', '退订[抱拳]', '1790000001123456789');
	await writes('customer-2', '<p>TD&nbsp;td</p>/:rose', 1_790_000_002_123_456);
	await writes('customer-3', '> 回复TD退订&#10;@小店 别发了 🙏', '2026-09-21 22:13:23');
	await writes('customer-4', '退订啦', '2026-09-21T14:13:24+00:00');
	await writes('customer-4', '你们退订怎么弄', 1_790_000_005);
	await writes('customer-4', '退订啦', '2026-09-21T14:13:24+00:00');
	const [one, two, three] = [
		'customer-1: 2026-09-21 14:13:21 UTC: 退订[抱拳]',
		'customer-2: 2026-09-21 14:13:22 UTC: TD td\n/:rose',
		'customer-3: 2026-09-21 14:13:23 UTC: @小店 别发了 🙏',
	];
	expect(await people()).toEqual([one, two, three]);
	const toCheck = await (await tableOf(here, 'opt-outs-to-check')).rows();
	expect(toCheck.map(({ toId, said }) => [toId, said])).toEqual([
		['customer-4', '你们退订怎么弄'],
		['customer-4', '退订啦'],
	]);

	// One that was written before the stop has come late.
	await writes('customer-1', 'start', '2026-09-21T22:13:20');
	await writes('customer-2', 'start', '2026/9/21 22:13:59');
	await writes('customer-3', 'start', 'just now');
	expect(await people()).toEqual([one]);
});

test('a video that goes into three chats a second apart is forwarded from the second; a setting that cannot be used says so', async () => {
	const chat = '7881300000333444';
	const publishWith = async (forwardChat: string) => {
		const values = { forwardChat };
		return await publish('what-comes-in', { Settings: { values }, [SEND]: { disabled: false } });
	};
	const into = (receiverId: string) =>
		eventsOf('ownFeedVideo', 21).map((event) => ({ ...event, receiverId }));
	const wrong = await publishWith(`${chat}, chat-2`);
	const problem = says('In Settings, forwardChat has to be the ID of one chat');
	const { reasons } = await come(wrong, ...into(chat), ...said('customer-1', 'stop'));
	expect(reasons).toEqual([problem, problem]);
	const people = await tableOf(here, 'do-not-contact');
	expect(await people.rows()).toMatchObject([{ toId: 'customer-1' }]);
	await (await tableOf(here, 'feed-videos')).remove();

	const fullWidth = chat.replace(/\d/g, (digit) => '０１２３４５６７８９'.charAt(Number(digit)));
	const recipe = await publishWith(`\u200b${fullWidth} `);
	const missing = says('forward-to (not found in this project; each user has');
	expect((await come(recipe, ...into(chat))).reasons).toEqual([missing]);
	await (await tableOf(here, 'feed-videos')).remove();
	await addTable(here, 'forward-to', [{ toId: 'customer-3' }]);
	for (const each of ['chat-1', chat, 'chat-2']) {
		expect((await recipe.post({ data: into(each) })).status).toBe(200);
		await sleep(1000);
	}
	await recipe.settled(6);
	expect(received(here)).toEqual(['customer-3']);
	// As where a campaign sends it into that chat later.
	expect(await come(recipe, ...into(chat))).toEqual({ count: 3, reasons: [] });
	expect(asked(here)).toEqual(['customer-3']);
});

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
