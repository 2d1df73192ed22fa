import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { callbackHeaders, callbacks } from '../../dev/sandbox/inventions';
import { samples } from '../../dev/sandbox/samples';
import { atEnd } from './atEnd';
import { arrivals, makeTable } from './campaign';
import { eventually } from './editor';
import { startOpenAiStub } from './openAiStub';
import { takePicture } from './picture';
import { itemsOf, useRecipes } from './recipe';
import { useEditor, useN8n } from './setup';

const MINUTES = 60_000;

const here = useN8n();
const opened = useEditor(here);
const { asked, importRecipe, ended } = useRecipes(here, opened);

const RECEIVED = { status: 200, text: '{"received":true}' };

/** Takes a picture of the workflow when its last results are shown. */
async function show(picture: string, height?: number): Promise<void> {
	const { editor } = opened;
	await editor.tidyUp();
	await wait(1000); // the canvas moves there
	await takePicture(editor.page, picture, height);
}

/** n8n sees to a trigger after it has said that its workflow is published. */
async function publish(url: string): Promise<void> {
	await opened.editor.publish();
	await eventually(async () => expect((await fetch(url)).status).toBe(200));
}

/** Clicks Execute workflow and posts to the Test URL, as a first trial. */
async function tryTestUrl(url: string, kind: 'file' | 'feedVideo', picture: string) {
	const { editor } = opened;
	const testUrl = url.replace('/webhook/', '/webhook-test/');
	await editor.see('execute-workflow-button').click();
	await eventually(async () => expect((await fetch(testUrl)).status).toBe(200));
	expect(await here.sandbox.postCallback(testUrl, kind)).toEqual(RECEIVED);
	await editor.page.getByRole('alert').filter({ hasText: 'Workflow executed' }).waitFor();
	await show(picture, 1000);
}

test(
	'save files from callbacks: the file is on disk, byte for byte',
	async () => {
		const { editor } = opened;
		const recipe = await importRecipe('save-files-from-callbacks');
		const url = await editor.productionUrl('Workchat Trigger');
		await tryTestUrl(url, 'file', 'save-files-from-callbacks');
		await publish(url);
		expect(await here.sandbox.postCallback(url, 'text')).toEqual(RECEIVED);
		expect(await here.sandbox.postCallback(url, 'file')).toEqual(RECEIVED);

		const executions = await ended(recipe, 2);
		const saved = await Promise.all(
			executions.map(async ({ id }) => {
				const file = (await readdir(here.files)).find((name) => name.startsWith(`${id}-1-`)) ?? '';
				return { file, content: await readFile(join(here.files, file)) };
			}),
		);
		const [first, , third] = Object.values(samples);
		expect(saved).toEqual(
			[third, first].map((sample, index) => ({
				file: `${executions[index]?.id}-1-${sample?.name}`,
				content: sample?.content,
			})),
		);
	},
	3 * MINUTES,
);

test(
	'forward a feed video: a callback that is repeated sends nothing twice',
	async () => {
		const { editor } = opened;
		const everyone = ['customer-1', 'customer-2', 'customer-3'];
		await makeTable(
			here.n8n,
			'My list',
			everyone.map((toId) => ({ toId })),
		);

		const recipe = await importRecipe('forward-a-feed-video');
		await editor.openNode('Get Recipients');
		await editor.see('rlc-input').click();
		await editor.see('rlc-item').filter({ hasText: 'My list' }).click();
		await editor.closeNode();
		const url = await editor.productionUrl('Workchat Trigger');
		await tryTestUrl(url, 'feedVideo', 'forward-a-feed-video');
		expect(asked()).toEqual(everyone);
		await publish(url);

		const callback = (number: number) =>
			callbacks.feedVideo({
				number,
				coverUrl: 'https://example.com/cover.jpg',
				files: [],
			});
		const post = async (body: object) => {
			const response = await fetch(url, {
				method: 'POST',
				headers: { 'Content-Type': 'application/json', ...callbackHeaders },
				body: JSON.stringify(body),
			});
			expect(response.status).toBe(200);
		};
		const received = () =>
			here.sandbox.messages.map(({ toId, feedId }) => `${String(feedId)} ${String(toId)}`);
		const once = (number: number) => everyone.map((toId) => `fake-feed-id-${number} ${toId}`);

		here.sandbox.messages.length = 0;
		await post(callback(7));
		await ended(recipe, 2);
		await post(callback(7));
		const [repetition] = await ended(recipe, 3);
		expect(received()).toEqual(once(7));
		expect(repetition?.status).toBe('success');
		const sent = itemsOf(repetition, 'Send Feed Video');
		expect(sent).toEqual(everyone.map(() => expect.objectContaining({ skipped: true })));

		here.sandbox.messages.length = 0;
		await Promise.all([post(callback(8)), post(callback(8))]);
		const [second, first] = await ended(recipe, 5);
		process.stdout.write(`At once: ${first?.status}, ${second?.status}\n`);
		expect(received().sort()).toEqual(once(8));

		here.sandbox.messages.length = 0;
		here.sandbox.misbehave({ kind: 'refuse', code: 1, message: 'no' }, { toId: 'customer-2' });
		await post(callback(9));
		const [failed] = await ended(recipe, 6);
		expect(failed?.data.resultData.error?.message).toBe(
			'Not everyone got the feed video. customer-2: rejected',
		);
		expect(received()).toEqual(once(9).filter((each) => !each.includes('customer-2')));
		await post(callback(9));
		expect((await ended(recipe, 7))[0]?.status).toBe('success');
		expect(received().sort()).toEqual(once(9));

		here.sandbox.messages.length = 0;
		await post({ two: [callback(4), callback(5)] });
		await ended(recipe, 8);
		expect(received()).toEqual([...once(4), ...once(5)]);
	},
	5 * MINUTES,
);

test(
	'sort failures: each outcome has its list, and nothing in doubt is sent again',
	async () => {
		const { editor } = opened;
		here.sandbox.misbehave(
			{ kind: 'refuse', code: 123, message: 'example reason' },
			{ toId: 'customer-2' },
		);
		here.sandbox.misbehave({ kind: 'dropAfterAccepting' }, { toId: 'customer-3' });
		const withoutFourth = (json: string) => json.replace('customer-4', '');
		const recipe = await importRecipe('sort-failures', withoutFourth);
		expect(await editor.execute()).toContain('Workflow executed successfully');
		await show('sort-failures');

		const reason = (words: string) => expect.stringContaining(words) as string;
		const unknown = {
			toId: 'customer-3',
			text: reason('customer-3 may or may not have got the feed video'),
		};
		const [first] = await ended(recipe, 1);
		expect(itemsOf(first, 'Send Feed Video')).toMatchObject([{ code: 0 }]);
		expect(itemsOf(first, 'Fix the Values')).toEqual([
			{ toId: 'customer-2', reason: reason('example reason') },
		]);
		expect(itemsOf(first, 'Run Again')).toEqual([
			{ toId: '', reason: reason('Recipient ID comes out empty') },
		]);
		expect(itemsOf(first, 'Ask the Recipient')).toEqual([
			{ ...unknown, reason: reason('closed the connection') },
		]);

		here.sandbox.requests.length = 0;
		expect(await editor.execute()).toContain('Workflow executed successfully');
		const [second] = await ended(recipe, 2);
		expect(asked()).toEqual(['customer-2']);
		expect(itemsOf(second, 'Send Feed Video')).toMatchObject([{ skipped: true }, { code: 0 }]);
		expect(itemsOf(second, 'Fix the Values')).toEqual([]);
		expect(itemsOf(second, 'Run Again')).toHaveLength(1);
		expect(itemsOf(second, 'Ask the Recipient')).toMatchObject([unknown]);
		expect([...arrivals(here).values()]).toEqual([1, 1, 1]);
	},
	3 * MINUTES,
);

test(
	'AI agent: sends what a person approves, to allowed recipients, once',
	async () => {
		const { editor } = opened;
		const model = await startOpenAiStub();
		atEnd(async () => await model.stop());
		const credential = { apiKey: 'fake-key', url: model.url };
		await here.n8n.addCredential('openAiApi', 'Example model', credential);

		const recipe = await importRecipe('ai-agent-that-sends-a-video');
		await editor.openNode('Chat Model');
		await editor.see('node-credentials-select').click();
		await editor.page.getByText('Example model').last().click();
		await editor.closeNode();
		await editor.see('workflow-chat-button').click();

		const chat = editor.page.locator('.chat-messages-list');
		const write = async (text: string) => {
			await editor.see('chat-input').fill(text);
			await editor.page.keyboard.press('Enter');
		};
		/** As n8n asks the model for them: what the tool takes, and what the approval takes. */
		const callFor = (Recipient_ID: string) => ({
			tool: 'Send_Feed_Video',
			arguments: { toolParameters: { Recipient_ID }, hitlParameters: {} },
		});
		const latest = chat.locator('.chat-message').last();
		const lines = async () => (await latest.innerText()).split(/\n+/);
		let chats = 0;
		const answer = async (question: string, click: string) => {
			await eventually(async () => expect(await lines()).toEqual([question, 'Approve', 'Decline']));
			await latest.getByRole('button', { name: click }).click();
		};
		/** The person writes, the model calls the tool, and the person clicks on an answer. */
		const converse = async (recipient: string, question: string, click: string) => {
			model.willCall([callFor(recipient)]);
			await write(`Send the video to ${recipient}`);
			await answer(question, click);
			await ended(recipe, ++chats);
			await eventually(async () => expect(await lines()).toEqual([model.lastWords]));
			return model.toolMessages;
		};
		const ask = (recipient: string) => `Send the video to ${recipient}?`;

		model.lastWords = 'The video was sent to customer-1.';
		expect(await converse('customer-1', ask('customer-1'), 'Approve')).toEqual([
			expect.stringMatching(/svc_/),
		]);
		expect(asked()).toEqual(['customer-1']);
		await editor.page.setViewportSize({ width: 1400, height: 1100 });
		const top = editor.see('resize-handle').and(editor.page.locator('[data-dir=top]'));
		await top.hover();
		await editor.page.mouse.down();
		await editor.page.mouse.move(700, 620, { steps: 5 });
		await editor.page.mouse.up();
		await show('ai-agent-that-sends-a-video');

		model.lastWords = 'It was not sent.';
		expect(await converse('customer-2', ask('customer-2'), 'Decline')).toEqual([
			expect.stringContaining('User rejected the tool call'),
		]);
		const stranger = 'stranger is not an allowed recipient: nothing will be sent to it.';
		expect(await converse('stranger', stranger, 'Approve')).toEqual([
			expect.stringContaining('Recipient ID comes out empty'),
		]);
		expect(await converse('customer-1', ask('customer-1'), 'Approve')).toEqual([
			expect.stringContaining('"skipped":true'),
		]);
		expect(asked()).toEqual(['customer-1']);

		// The chat may not show the second question: n8n 2.41, chat-service.js, waitForChatResponseOrContinue.
		model.willCall(['customer-2', 'customer-3'].map(callFor));
		await write('Send the video to customer-2 and customer-3');
		await answer(ask('customer-2'), 'Approve');
		await eventually(async () => expect(model.toolMessages).toHaveLength(1));
		await write('What now?');
		await eventually(async () => expect(await lines()).toEqual([model.lastWords]));
		expect(model.toolMessages).toEqual([
			expect.stringMatching(/svc_/),
			expect.stringContaining('What now?'),
		]);
		expect(asked()).toEqual(['customer-1', 'customer-2']);
		await ended(recipe, ++chats);

		here.sandbox.misbehave({ kind: 'dropAfterAccepting' }, { toId: 'customer-3' });
		const inDoubt = [expect.stringMatching(/may (already )?have been sent/)];
		expect(await converse('customer-3', ask('customer-3'), 'Approve')).toEqual(inDoubt);
		expect(await converse('customer-3', ask('customer-3'), 'Approve')).toEqual(inDoubt);
		expect(asked()).toEqual(['customer-1', 'customer-2', 'customer-3']);
	},
	5 * MINUTES,
);
