import { recipients } from '../../dev/engine/workflows';
import type { Execution } from '../../dev/n8n/n8nClient';
import { callbackKinds } from '../../dev/sandbox/callbackKinds';
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
import { Form, readRecipe, step, Workflow, type Changes } from './support/workflow';

/** One campaign, from the page to its schedule. Each test goes on where the one before it ended. */

/** For all of n8n's tables together, in bytes, and for how long it believes their size. */
const TABLES = {
	N8N_DATA_TABLES_MAX_SIZE_BYTES: '2000000',
	N8N_DATA_TABLES_WARNING_THRESHOLD_BYTES: '1900000',
	N8N_DATA_TABLES_SIZE_CHECK_CACHE_DURATION_MS: '100',
};
const google = new Google();
const here = withEditor(useN8n(async (folder) => ({ ...TABLES, ...(await google.start(folder)) })));

const NAME = 'spring-offer';
const SCHEDULE = 'Every Hour From 9 to 17';
/** Rows that are sent before the table is written: ten, then a hundred at a time. */
const [FIRST, PORTION] = [10, 100];
/** Messages that are claimed ahead of the sending, and the one on its way. */
const CLAIMED = 7;
/** Messages that may be sent before n8n has noted it, at 50 ms each. */
const SENT_IN_THE_LAST_MOMENTS = 10;

let campaign: Workflow;
let form: Form;
const csv = (toIds: string[]) => ['toId', ...toIds].join('\r\n');
const rowsOf = async (name = NAME) => await (await tableOf(here, name)).rows();

const changes = (values: Record<string, string | number> = {}, more: Changes = {}): Changes => ({
	Settings: { values: { secondsBetween: 0, ...values } },
	// As an API's caller has it, who does not log in to n8n's pages.
	'Campaign Form': { parameters: { authentication: 'none' } },
	...more,
});

/** What its last page tells, and why it failed if it did. */
const endOf = (execution: Execution) => ({
	result: jsonOf(execution, 'Result')[0],
	error: errorOf(execution)?.message,
});

test('nothing is kept or sent without a Yes; as it comes, it runs by itself nowhere', async () => {
	const recipe = await Workflow.import(here, 'what-comes-in');
	await recipe.publish();
	const given = {
		number: 1,
		time: 1_790_000_001,
		coverUrl: `${here.sandbox.url}/cover.jpg`,
		files: [],
	};
	await recipe.post(callbackKinds.ownFeedVideo(given));
	await eventually(async () => expect(await rowsOf('feed-videos')).toHaveLength(1));
	await (await tableOf(here, 'feed-videos')).edit(1, { name: 'Spring' });
	const recipeAsItComes = await readRecipe(here, 'campaign');
	const named = (name: string) => recipeAsItComes.nodes.find((node) => node.name === name);
	expect(named(SCHEDULE)?.disabled).toBe(true);
	expect(named('Campaign Form')?.parameters.authentication).toBe('n8nUserAuth');
	campaign = await Workflow.import(here, 'campaign', changes());
	await campaign.publish();
	form = new Form(here, campaign);
	const { page, last } = await form.send({ campaign: NAME, csv: csv(customers(1, 2)) }, /^No/);
	expect(page).toContain(`Send ${NAME} to 2 people?`);
	expect(last).toContain('Nothing was sent to the list, as the answer was No');
	expect(asked(here)).toEqual([]);
	await expect(rowsOf()).rejects.toThrow();
});

test('a person sends a file by the page in the editor; the last page and each row say what became of it', async () => {
	const { editor } = here;
	refuse(here, 'customer-2');
	lose(here, 'customer-4');
	await editor.openWorkflow(campaign.id);
	const opened = editor.browser.waitForEvent('page');
	const button = editor.see('execute-workflow-button');
	await eventually(async () => expect(await button.innerText()).toBe('Execute workflow'));
	await button.click();
	const page = await opened;
	const body =
		'toId,note\r\n' +
		customers(1, 2, 3, 4, 5).join(',"<b>x</b>"\r\n') +
		',\r\n1.68885E+18,\r\n"x, y",';
	await page.locator('[name=field-0]').fill(NAME);
	const file = { name: '客户.csv', mimeType: 'text/csv', buffer: Buffer.from(body) };
	await page.locator('[name=field-1]').setInputFiles(file);
	await page.locator('[name=field-3]').fill('myself');
	await page.locator('#submit-btn').click();
	await page.getByText(`Send ${NAME} to 5 people?`).waitFor();
	expect(asked(here)).toEqual(['myself']);
	const shown = await page.locator('body').innerText();
	expect(shown).toContain('客户.csv: 7 rows 行 = 6 people 人 + 1 ⚠ numbers that lost digits');
	expect(shown).toMatch(/“x, y” · .*not look like an ID.* 不像 ID/);
	await page.getByText('Yes, send it').click();
	await page.locator('#submit-btn').click();
	await page.getByText('Sent 已发送', { exact: true }).waitFor();
	const told = await page.locator('body').innerText();
	await page.close();
	const summary = '3 sent 已发送, 1 rejected 被拒绝, 1 notSent 未发送, 1 unknown';
	expect(told).toContain(summary);
	expect(asked(here).filter((toId) => toId)).toEqual(['myself', ...customers(1, 2, 3, 4, 5)]); // and the cover
	const sent = { status: 'sent', request_id: says('svc_'), time: says('T'), tries: 1 };
	expect(await rowsOf()).toMatchObject([
		{ toId: 'customer-1', ...sent, reason: null },
		{ toId: 'customer-2', ...sent, status: 'rejected', reason: says('example reason') },
		{ toId: 'customer-3', ...sent },
		{ toId: 'customer-4', status: 'unknown', reason: says('closed the connection'), tries: 1 },
		{ toId: 'customer-5', ...sent },
		{ toId: 'x, y', status: 'notSent', reason: says('not look like an ID'), tries: 1 },
	]);
});

test('the next run tries what failed, and who is unknown once more if somebody says so; who said stop gets nothing', async () => {
	const unwanted = await tableOf(here, 'do-not-contact');
	const list = csv([...customers(1, 2, 3, 4, 5), 'person-1', 'person-2', '"person-3"']);
	await unwanted.insert([{ toId: 'nobody, PERSON-2' }]);
	const stop = async () => void (await unwanted.insert([{ toId: '"person-1"' }]));
	const yes = await form.send({ campaign: NAME, csv: list }, /also to the 1 unknown/, stop);
	expect(asked(here)).toEqual(['person-3', 'customer-2', 'customer-4']);
	await step(here, campaign.id, 'Send Feed Video', yes.execution);
	const again = await step(here, campaign.id, 'What Became of It', yes.execution);
	expect(endOf(again).error).toContain('These recipients were chosen by another execution');
	expect(asked(here)).toHaveLength(3);
	const statuses = [...Array<string>(5).fill('sent'), 'notSent', '', '', 'sent'];
	expect((await rowsOf()).map(({ status }) => status)).toEqual(statuses);
});

test('two at the same moment: nobody gets two, and every row says sent', async () => {
	const values = { campaign: 'twice', csv: csv(recipients(30).map(({ toId }) => String(toId))) };
	here.sandbox.misbehave({ kind: 'delay', milliseconds: 100 }, { times: Infinity });
	const ends = await Promise.all([form.send(values), form.send(values)]);
	expect(ends.map(({ last }) => last)).toEqual([says('sent 已发送'), says('sent 已发送')]);
	expect([received(here).length, doubles(here)]).toEqual([30, []]);
	const rows = await rowsOf('twice');
	expect(new Set(rows.map(({ toId }) => toId)).size).toBe(30);
	expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['sent']));
});

test('where no table takes a note, nothing is sent, and it says so', async () => {
	const large = Array(20).fill({ toId: 'x'.repeat(9000) });
	await addTable(here, 'other', large);
	const other = await tableOf(here, 'other');
	const fill = async () => {
		for (;;) await other.insert(large);
	};
	await expect(fill()).rejects.toThrow('size limit');
	const values = { campaign: 'full', csv: csv(customers(1, 2, 3)) };
	expect((await form.send(values)).last).toContain('n8n takes no notes in its tables');
	expect(asked(here)).toEqual([]);
	await other.remove();
	expect((await form.send(values)).last).toContain('3 sent');
});

test('from a Google Sheet, which says what became of each', async () => {
	await here.n8n.addCredential('googleApi', 'Google', Google.credential);
	const value = `https://docs.google.com/spreadsheets/d/${'x'.repeat(44)}/edit#gid=0`;
	const documentId = { __rl: true, mode: 'url', value };
	const sheet = {
		disabled: false,
		parameters: { authentication: 'serviceAccount', documentId },
		credentials: { googleApi: { id: null, name: 'Google' } },
	};
	const nodes = { 'Read the Sheet': sheet, 'Note in the Sheet': sheet };
	const fromSheet = await Workflow.import(here, 'campaign', changes({}, nodes));
	await fromSheet.publish();
	const list = customers(1, 2, 3, 2).map((toId) => [toId, '']);
	google.sheets.List = [['toId', 'status', 'reason'], ...list, ['customer-4', '已发送']];
	refuse(here, 'customer-2');
	const page = new Form(here, fromSheet);
	await page.send({ campaign: 'sheet' });
	expect(asked(here)).toEqual(customers(1, 2, 3));
	expect(google.sheets.List).toEqual([
		['toId', 'status', 'reason'],
		['customer-1', 'sent', ''],
		['customer-2', 'rejected', says('example reason')],
		['customer-3', 'sent', ''],
		['customer-2', ''],
		['customer-4', '已发送'],
	]);
	google.isReadOnly = true;
	expect((await page.send({ campaign: 'sheet' })).last).toContain('the sheet took no notes');
});

test('n8n is killed while it sends: the next run sends the rest, and names what is in doubt', async () => {
	const more = Array.from({ length: FIRST + 2 * PORTION }, (_, index) => `more-${index + 1}`);
	here.sandbox.misbehave({ kind: 'delay', milliseconds: 50 }, { times: Infinity });
	void form.send({ campaign: 'killed', csv: csv(more) }).catch(() => {});
	await eventually(async () => expect(received(here).length).toBeGreaterThan(FIRST + PORTION + 20));
	await here.crash();
	expect(received(here).length).toBeLessThan(more.length);
	// The table lacks no more than the portion that was under way.
	const statuses = async () => (await rowsOf('killed')).map(({ status }) => status);
	expect(await statuses()).toEqual(more.map((_, at) => (at < FIRST + PORTION ? 'sent' : '')));

	await form.send({ campaign: 'killed' });
	expect(doubles(here)).toEqual([]);
	const after = await statuses();
	const missing = more.filter((toId) => !received(here).includes(toId));
	const inDoubt = more.filter((_, index) => after[index] === 'unknown');
	expect(new Set(after)).toEqual(new Set(['sent', 'unknown']));
	expect(inDoubt).toEqual(expect.arrayContaining(missing));
	expect(missing.length).toBeLessThanOrEqual(CLAIMED);
	expect(inDoubt.length - missing.length).toBeLessThanOrEqual(SENT_IN_THE_LAST_MOMENTS);
});

test("by n8n's own clock it sends so many in each run, asks nobody, and rings for new failures", async () => {
	const late = ['late-1', 'late-2', 'late-3'];
	await (await tableOf(here, NAME)).insert(late.map((toId) => ({ toId })));
	refuse(here, 'late-3');
	// No test can wait for an hour.
	const rule = { interval: [{ field: 'cronExpression', expression: '*/5 * * * * *' }] };
	const values = { campaign: NAME, video: 'spring', mostPerRun: 2 };
	const clock = changes(values, { [SCHEDULE]: { disabled: false, parameters: { rule } } });
	const scheduled = await (await Workflow.import(here, 'campaign', clock)).publish();
	await eventually(async () => expect((await rowsOf()).at(-1)?.tries).toBe(2));
	await here.n8n.call('POST', `workflows/${scheduled.id}/deactivate`, {});
	const executions = (await here.n8n.executions(scheduled.id)).reverse();
	const ends = await Promise.all(executions.map(async ({ id }) => endOf(await here.n8n.ended(id))));
	expect(asked(here)).toEqual([...late, 'late-3']);
	expect(ends.slice(0, 2)).toEqual([
		{ result: expect.objectContaining({ sent: 2 }) as object, error: undefined },
		{ result: expect.anything() as object, error: says(`1 new failures in ${NAME}. 1 rejected`) },
	]);
});
