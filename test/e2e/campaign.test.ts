import type { Page } from 'playwright-core';

import { recipients } from '../../dev/engine/workflows';
import { callbackKinds } from '../../dev/sandbox/callbackKinds';
import { CampaignPage } from './support/campaignPage';
import { eventually } from './support/editor';
import { Google } from './support/google';
import {
	asked,
	customers,
	doubles,
	errorOf,
	jsonOf,
	lose,
	received,
	refuse,
	says,
} from './support/messages';
import { useN8n, withEditor } from './support/setup';
import { addTable, tableOf } from './support/tables';
import { readRecipe, step, Workflow, type Changes } from './support/workflow';

/** One campaign, from the form to its schedule. Each test continues where the one before it ended. */

/** For all of n8n's tables together, in bytes, and for how long it believes their size. */
const TABLES = {
	N8N_DATA_TABLES_MAX_SIZE_BYTES: '2000000',
	N8N_DATA_TABLES_WARNING_THRESHOLD_BYTES: '1900000',
	N8N_DATA_TABLES_SIZE_CHECK_CACHE_DURATION_MS: '100',
};
/** Of its own pages, where the browser has the login. */
const ADDRESS = { N8N_HOST: '127.0.0.1' };
const google = new Google();
const here = withEditor(
	useN8n(async (folder) => ({ ...TABLES, ...ADDRESS, ...(await google.start(folder)) })),
);

const NAME = 'spring-offer';
const SCHEDULE = 'Every Hour From 9 to 17';
/** Messages that are claimed ahead of the sending, and the one on its way. */
const CLAIMED = 7;
/** Messages that may be sent before n8n has recorded it, at 50 ms each. */
const SENT_IN_THE_LAST_MOMENTS = 10;

let campaign: Workflow;
const csv = (toIds: string[]) => ({
	name: 'list.csv',
	content: ['toId', ...toIds].join('\r\n'),
});
const rowsOf = async (name = NAME) => await (await tableOf(here, name)).rows();
const statusesOf = async (name?: string) => (await rowsOf(name)).map(({ status }) => status);
const submit = async (name: string, toIds?: string[], workflow = campaign) =>
	await CampaignPage.submit(here, workflow, { campaign: name, ...(toIds && { file: csv(toIds) }) });

const changes = (values: Record<string, string | number> = {}, more: Changes = {}): Changes => ({
	Settings: { values: { secondsBetween: 0, ...values } },
	// As an API's caller has it, who does not log in to n8n's pages.
	'Campaign Form': { parameters: { authentication: 'none' } },
	...more,
});
const slow = (milliseconds: number) =>
	here.sandbox.misbehave({ kind: 'delay', milliseconds }, { times: Infinity });
/** Clicks, and waits until n8n has carried it out: it answers before that. */
async function clickAndWait(page: CampaignPage): Promise<void> {
	const known = new Set((await here.n8n.executions(campaign.id)).map(({ id }) => id));
	await page.click({});
	await eventually(async () => {
		const all = await here.n8n.executions(campaign.id);
		const [click] = all.filter(({ id }) => !known.has(id));
		expect(click?.status).toMatch(/success|error/);
	});
}

test('as it comes, it runs by itself nowhere, and n8n keeps no executions but of the form', async () => {
	const recipe = await readRecipe(here, 'campaign');
	const named = (name: string) => recipe.nodes.find((node) => node.name === name);
	expect(named(SCHEDULE)?.disabled).toBe(true);
	expect(named('Campaign Form')?.parameters.authentication).toBe('n8nUserAuth');
	expect(recipe.settings).toMatchObject({ saveDataSuccessExecution: 'none' });
});

test('a person sends a file in a browser: watches it, closes the page, and finds the result on another device', async () => {
	const whatComesIn = await (await Workflow.import(here, 'what-comes-in')).publish();
	const coverUrl = `${here.sandbox.url}/cover.jpg`;
	const given = { number: 1, time: Date.now() / 1000, coverUrl, files: [] };
	await whatComesIn.post(callbackKinds.ownFeedVideo(given));
	await eventually(async () => expect(await rowsOf('feed-videos')).toHaveLength(1));
	await (await tableOf(here, 'feed-videos')).edit(1, { name: 'Spring' });
	const login = { 'Campaign Form': { parameters: { authentication: 'n8nUserAuth' } } };
	const workflow = await (await Workflow.import(here, 'campaign', changes({}, login))).publish();
	refuse(here, 'customer-2');
	lose(here, 'customer-4');
	const { browser } = here.editor;
	const page = await browser.newPage();
	await page.goto(`${here.n8n.url}/form/${workflow.webhookId}`);
	await page.getByRole('button', { name: 'Allow access' }).click();
	const rows = customers(1, 2, 3, 4, 5).join(',"<b>x</b>"\r\n');
	const body = `toId,note\r\n${rows},\r\n1.68885E+18,\r\n"x, y",`;
	await page.locator('[name=field-0]').fill(NAME);
	const file = { name: '客户.csv', mimeType: 'text/csv', buffer: Buffer.from(body) };
	await page.locator('[name=field-1]').setInputFiles(file);
	await page.locator('[name=field-4]').fill('myself');
	await page.locator('#submit-btn').click();
	const shown = async (on: Page) => await on.locator('#campaign').innerText();
	await page.getByRole('heading', { name: `Send “${NAME}” to 5 people?` }).waitFor();
	expect(asked(here)).toEqual(['myself']);
	await expect(rowsOf()).rejects.toThrow();
	await page.getByRole('button', { name: 'Send to 5 people' }).click();
	await page.locator('.bar').waitFor();
	const address = page.url();
	await page.close();

	const phone = await browser.newPage();
	await phone.goto(address);
	await phone.getByRole('heading', { name: 'Done' }).waitFor();
	const told = await shown(phone);
	expect(told).toMatch(/3\s+Sent\s+1\s+Failed\s+1\s+Unknown\s+0\s+Excluded\s+0\s+Remaining/);
	expect(told).toContain('customer-2\nRejected');
	await phone.getByRole('link', { name: 'All results' }).waitFor();
	expect(asked(here).filter((toId) => toId)).toEqual(['myself', ...customers(1, 2, 3, 4, 5)]); // and the cover
	const sent = { status: 'sent', request_id: says('svc_'), time: says('T'), tries: 1 };
	expect(await rowsOf()).toMatchObject([
		{ toId: 'customer-1', ...sent, reason: null },
		{ toId: 'customer-2', ...sent, status: 'rejected', reason: says('example reason') },
		{ toId: 'customer-3', ...sent },
		{ toId: 'customer-4', status: 'unknown', reason: says('closed the connection'), tries: 1 },
		{ toId: 'customer-5', ...sent },
	]);
	await phone.reload();
	await phone.getByRole('heading', { name: 'Done' }).waitFor();
	await phone.close();
	await eventually(async () => {
		const executions = await here.n8n.executions(workflow.id);
		expect(executions.map(({ status }) => status)).toEqual(['waiting']);
	});
	const stranger = await fetch(address, { redirect: 'manual' });
	expect([stranger.status, stranger.headers.get('location')]).toEqual([302, says('signin')]);
	const cookie = { headers: { Cookie: here.n8n.cookie } };
	expect((await fetch(address.replace(/\?.*/, ''), cookie)).status).toBe(401);
});

test('nothing is sent without a click that has the secret', async () => {
	const recipe = await readRecipe(here, 'campaign', changes());
	const settings = { ...recipe.settings, saveDataSuccessExecution: 'all' as const };
	campaign = await (await Workflow.add(here, { ...recipe, settings })).publish();
	const pages = await tableOf(here, 'campaign-pages');
	const DAY = 86_400_000;
	const until = (days: number) => new Date(Date.now() - days * DAY).toISOString();
	await pages.insert([14.1, 13.9].map((days) => ({ campaign: `${days}`, until: until(days) })));
	const page = await submit('nobody', customers(1, 2));
	const names = (await pages.rows()).map((row) => row.campaign);
	expect(names).toEqual([NAME, '13.9', 'nobody']); // rows of two weeks ago are deleted
	expect(page.token).toMatch(/^[0-9a-f]{64}$/);
	expect(page.address).not.toContain(page.token);
	for (const address of page.addresses) {
		for (const method of ['GET', 'HEAD', 'PUT'])
			expect((await fetch(address, { method })).status).toBe(404);
	}
	await fetch(page.address, { headers: { 'Sec-Purpose': 'prefetch' } });
	const signature = new URL(page.address).searchParams.get('signature')!;
	for (const token of ['', 'none', `${page.token}x`, signature, 'a'.repeat(64)]) {
		await page.click({ token });
		expect((await page.look(token)).id).toBeUndefined();
	}
	await page.click({ action: 'stop', execution: '' });
	await page.click({ action: 'other', execution: '' });
	expect(await page.look()).toMatchObject({ execution: '', report: {} });
	expect(asked(here)).toEqual([]);
	await expect(rowsOf('nobody')).rejects.toThrow();
});

test('four clicks at once send once; Execute step and a pinned click send nothing', async () => {
	const page = await submit('clicks', customers(1, 2, 3));
	await Promise.all([page.click({}), page.click({}), page.click({}), page.click({})]);
	expect(await page.ended()).toMatchObject({ state: 'done', counts: { sent: 3 } });
	expect(asked(here)).toEqual(customers(1, 2, 3));
	const { report } = await page.look();
	const execution = await here.n8n.ended(report.execution!);
	const again = await step(here, campaign.id, 'Record Result', execution);
	expect(errorOf(again)?.message).toContain('Another execution selected these recipients');
	const pinned = await submit('pinned', customers(4));
	const [click] = jsonOf(execution, 'Page Sends Click');
	const body = { token: pinned.token, action: 'go' };
	const workflow = await here.n8n.call<object>('GET', `workflows/${campaign.id}`);
	const pinData = { 'Page Sends Click': [{ json: { ...click, body } }] };
	await here.n8n.call('PATCH', `workflows/${campaign.id}`, { ...workflow, pinData });
	await here.n8n.run(campaign.id, 'Page Sends Click');
	expect((await pinned.look()).execution).toBe('');
	expect(asked(here)).toHaveLength(3);
});

test('the next run tries failures again, and unknown ones if somebody says so; people who opted out get nothing', async () => {
	const unwanted = await tableOf(here, 'do-not-contact');
	await unwanted.insert([{ toId: 'nobody, PERSON-2' }]);
	const page = await submit(NAME, [
		...customers(1, 2, 3, 4, 5),
		'person-1',
		'person-2',
		'"person-3"',
	]);
	expect(page.given).toMatchObject({ sends: 3, resends: 1 });
	await unwanted.insert([{ toId: '"person-1"' }]);
	await page.send({ also: 'unknown' });
	expect(asked(here)).toEqual(['person-3', 'customer-2', 'customer-4']);
	const statuses = [...Array<string>(5).fill('sent'), '', '', 'sent'];
	expect(await statusesOf()).toEqual(statuses);
});

test('Stop holds the rest of a campaign, whose second form says that it is being sent; Continue sends the rest', async () => {
	here.sandbox.misbehave({ kind: 'delay', milliseconds: 50 }, { times: 20 });
	// So slowly that the other form and the click on Stop are in time.
	let isSlow = true;
	const delay = { kind: 'delay', milliseconds: 500 } as const;
	here.sandbox.misbehave(delay, { times: Infinity, when: () => isSlow });
	const toIds = recipients(200).map(({ toId }) => toId);
	const page = await submit('stopped', toIds);
	await page.click({});
	await eventually(async () => expect(received(here).length).toBeGreaterThan(20));
	const other = await submit('stopped');
	expect(other.html).toContain('const isSentElsewhere = true');
	const before = received(here).length;
	await page.stop();
	await eventually(async () => expect(await page.look()).toMatchObject({ stop: 'stop' }));
	isSlow = false;
	expect(await page.ended()).toMatchObject({ state: 'stopped' });
	const stopped = received(here).length;
	expect(stopped - before).toBeLessThanOrEqual(100); // a batch
	expect(stopped).toBeLessThan(200);
	expect(await page.send()).toMatchObject({ state: 'done', left: 0 });
	expect([received(here).length, doubles(here)]).toEqual([200, []]);
});

test('two pages at the same moment: nobody gets two, and every row says sent', async () => {
	slow(100);
	const toIds = recipients(30).map(({ toId }) => toId);
	const pages = [await submit('twice', toIds), await submit('twice', toIds)];
	const reports = await Promise.all(pages.map(async (page) => await page.send()));
	expect(reports).toMatchObject([{ state: 'done' }, { state: 'done' }]);
	expect([received(here).length, doubles(here)]).toEqual([30, []]);
	const rows = await rowsOf('twice');
	expect(new Set(rows.map(({ toId }) => toId)).size).toBe(30);
	expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['sent']));
});

test('where no table can be written to, nothing is sent', async () => {
	const large = Array(20).fill({ toId: 'x'.repeat(9000) });
	await addTable(here, 'other', large);
	const other = await tableOf(here, 'other');
	const page = await submit('full', customers(1, 2, 3));
	const fill = async () => {
		for (;;) await other.insert(large);
	};
	await expect(fill()).rejects.toThrow('size limit');
	await clickAndWait(page);
	expect((await page.look()).execution).toBe('');
	expect(asked(here)).toEqual([]);
	await other.remove();
	expect(await page.send()).toMatchObject({ state: 'done', counts: { sent: 3 } });
});

test('from a Google Sheet, into which the results are written', async () => {
	await here.n8n.addCredential('googleApi', 'Google', Google.credential);
	const value = `https://docs.google.com/spreadsheets/d/${'x'.repeat(44)}/edit#gid=0`;
	const documentId = { __rl: true, mode: 'url', value };
	const sheet = {
		disabled: false,
		parameters: { authentication: 'serviceAccount', documentId },
		credentials: { googleApi: { id: null, name: 'Google' } },
	};
	const nodes = { 'Read the Sheet': sheet, 'Write to the Sheet': sheet };
	const fromSheet = await Workflow.import(here, 'campaign', changes({}, nodes));
	await fromSheet.publish();
	const list = customers(1, 2, 3, 2).map((toId) => [toId, '']);
	google.sheets.List = [['toId', 'status', 'reason'], ...list, ['customer-4', 'stop']];
	refuse(here, 'customer-2');
	await (await submit('sheet', undefined, fromSheet)).send();
	expect(asked(here)).toEqual(customers(1, 2, 3));
	expect(google.sheets.List).toEqual([
		['toId', 'status', 'reason'],
		['customer-1', 'sent', ''],
		['customer-2', 'rejected', says('example reason')],
		['customer-3', 'sent', ''],
		['customer-2', ''],
		['customer-4', 'stop'],
	]);
	google.isReadOnly = true;
	const report = await (await submit('sheet', undefined, fromSheet)).send();
	expect(report).toMatchObject({ isSheetUnsaved: true });
});

test('n8n is killed while it sends: a Retry sends nothing, and the page offers to continue, which sends the rest, and names unknown outcomes', async () => {
	const more = Array.from({ length: 210 }, (_, index) => `more-${index + 1}`);
	slow(50);
	const page = await submit('killed', more);
	await page.click({});
	await eventually(async () => expect(received(here).length).toBeGreaterThan(130));
	await here.crash();
	const before = received(here).length;
	expect(before).toBeLessThan(more.length);
	const killed = await page.look();
	await here.n8n.retry(killed.execution);
	expect(received(here)).toHaveLength(before);
	expect(killed.report.state).toBe('sending');
	expect(Date.parse(killed.until) - Date.now()).toBeLessThan(90_000);
	const pages = await tableOf(here, 'campaign-pages');
	const editUntil = async (milliseconds: number) =>
		await pages.edit(killed.id!, { until: new Date(Date.now() + milliseconds).toISOString() });
	await editUntil(600_000); // as if n8n had started again at once
	await clickAndWait(page);
	expect((await page.look()).execution).toBe(killed.execution); // it may still be sending
	await editUntil(0); // as if that time had passed

	await page.send();
	expect(doubles(here)).toEqual([]);
	const after = await statusesOf('killed');
	const missing = more.filter((toId) => !received(here).includes(toId));
	const unknown = more.filter((_, index) => after[index] === 'unknown');
	expect(new Set(after)).toEqual(new Set(['sent', 'unknown']));
	expect(unknown).toEqual(expect.arrayContaining(missing));
	expect(missing.length).toBeLessThanOrEqual(CLAIMED);
	expect(unknown.length - missing.length).toBeLessThanOrEqual(SENT_IN_THE_LAST_MOMENTS);
});

test('two schedules at the same moment send to everybody once, and do not fail; a new failure does', async () => {
	const late = Array.from({ length: 20 }, (_, index) => `late-${index + 1}`);
	await (await tableOf(here, NAME)).insert(late.map((toId) => ({ toId })));
	slow(50);
	const values = { campaign: NAME, video: 'spring' };
	const clock = changes(values, { [SCHEDULE]: { disabled: false } });
	const scheduled = await Workflow.import(here, 'campaign', clock);
	const run = async () => await here.n8n.run(scheduled.id, SCHEDULE);
	const both = await Promise.all([run(), run()]);
	expect(both.map((execution) => errorOf(execution)?.message)).toEqual([undefined, undefined]);
	expect([received(here).sort(), doubles(here)]).toEqual([[...late].sort(), []]);
	expect(new Set((await statusesOf()).slice(-20))).toEqual(new Set(['sent']));
	here.sandbox.reset();
	await (await tableOf(here, NAME)).insert([{ toId: 'late-21' }]);
	refuse(here, 'late-21');
	expect(errorOf(await run())?.message).toContain(`1 new failures in ${NAME}. 1 rejected`);
});

test("n8n's own clock starts it", async () => {
	await (await tableOf(here, NAME)).insert([{ toId: 'clock-1' }]);
	// No test can wait for an hour.
	const rule = { interval: [{ field: 'cronExpression', expression: '*/5 * * * * *' }] };
	const values = { campaign: NAME, video: 'spring' };
	const clock = changes(values, { [SCHEDULE]: { disabled: false, parameters: { rule } } });
	const scheduled = await (await Workflow.import(here, 'campaign', clock)).publish();
	const both = ['clock-1', 'late-21']; // and the failure of before
	await eventually(async () => expect(received(here)).toEqual(both));
	await here.n8n.call('POST', `workflows/${scheduled.id}/deactivate`, {});
	await scheduled.settled(0);
	expect(received(here)).toEqual(both);
});
