import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import type { IDataObject } from 'n8n-workflow';

import type { Execution } from '../../dev/n8n/n8nClient';
import { callbackHeaders, callbacks } from '../../dev/sandbox/inventions';
import { samples } from '../../dev/sandbox/samples';
import { readExample, type ExampleName } from '../../dev/start/readExample';
import { atEnd } from './atEnd';
import { arrivals } from './campaign';
import { eventually } from './editor';
import { startOpenAiStub } from './openAiStub';
import { takePicture } from './picture';
import { useEditor, useN8n } from './setup';

const MINUTES = 60_000;

const here = useN8n();
const opened = useEditor(here);

/** As a person does it, by the menu; resolves to the workflow's name. */
async function importRecipe(name: ExampleName, edit = (json: string) => json): Promise<string> {
	const recipe = await readExample(name, { sandbox: here.sandbox.url, files: here.files });
	const path = join(here.folder, `${name}.json`);
	await writeFile(path, edit(JSON.stringify(recipe)));
	await opened.editor.importWorkflow(path);
	return recipe.name ?? '';
}

/** The executions of the workflow with this name, the latest first, when so many have ended. */
async function ended(workflow: string, count: number): Promise<Execution[]> {
	let ids: string[] = [];
	await eventually(async () => {
		const found = (await here.n8n.workflows()).find(({ name }) => name === workflow);
		const executions = await here.n8n.executions(found?.id ?? 'none');
		expect(executions.map(({ status }) => /success|error/.test(status))).toEqual(
			Array(count).fill(true),
		);
		ids = executions.map(({ id }) => id);
	});
	return await Promise.all(ids.map(async (id) => await here.n8n.execution(id)));
}

/** From the node's first output. */
function itemsOf(execution: Execution | undefined, node: string): IDataObject[] {
	const main = execution?.data.resultData.runData[node]?.[0]?.data?.main;
	return (main?.[0] ?? []).map(({ json }) => json);
}

const to = (toId: string) => ({ when: (body: Record<string, unknown>) => body.toId === toId });
const asked = () => here.sandbox.requests.map(({ body }) => body?.toId);
const RECEIVED = { status: 200, text: '{"received":true}' };

/** Takes a picture of the workflow when its last results are shown. */
async function show(picture: string): Promise<void> {
	const { editor } = opened;
	await editor.tidyUp();
	await wait(1000); // the canvas moves there
	await takePicture(editor.page, picture);
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
	await show(picture);
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
		const project = await here.n8n.call<{ id: string }>('GET', 'projects/personal');
		const tables = `projects/${project.id}/data-tables`;
		const list = await here.n8n.call<{ id: string }>('POST', tables, {
			name: 'My list',
			columns: [{ name: 'toId', type: 'string' }],
		});
		const everyone = ['customer-1', 'customer-2', 'customer-3'];
		await here.n8n.call('POST', `${tables}/${list.id}/insert`, {
			data: everyone.map((toId) => ({ toId })),
		});

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
				file: here.sandbox.fieldsOf(samples.document),
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
		here.sandbox.misbehave({ kind: 'refuse', code: 1, message: 'no' }, to('customer-2'));
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
			to('customer-2'),
		);
		here.sandbox.misbehave({ kind: 'dropAfterAccepting' }, to('customer-3'));
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
	"AI agent: the model's call sends one message, a repeated one none",
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

		const call = { tool: 'Send_Feed_Video', arguments: { Recipient_ID: 'customer-1' } };
		model.willCall([call], [call]);
		await editor.see('workflow-chat-button').click();
		const write = async (text: string) => {
			await editor.see('chat-input').fill(text);
			await editor.page.keyboard.press('Enter');
		};
		await write('Send the video to customer-1');
		await ended(recipe, 1);
		await editor.page.getByText('Done.').first().waitFor();
		await show('ai-agent-that-sends-a-video');
		expect(asked()).toEqual(['customer-1']);
		expect(model.toolMessages).toEqual([
			expect.stringMatching(/svc_/),
			expect.stringMatching(/svc_/),
		]);

		model.willCall([call]);
		await write('Once more, please');
		await ended(recipe, 2);
		expect(asked()).toEqual(['customer-1']);
		expect(model.toolMessages.at(-1)).toContain('"skipped":true');
	},
	3 * MINUTES,
);
