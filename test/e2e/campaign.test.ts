import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';

import { recipients } from '../../dev/engine/workflows';
import type { Execution } from '../../dev/n8n/n8nClient';
import {
	arrivals,
	Campaign,
	doubles,
	expectFewInDoubt,
	makeTable,
	tally,
	type Row,
} from './campaign';
import { eventually } from './editor';
import { takePicture } from './picture';
import { useRecipes } from './recipe';
import { serve } from './server';
import { useEditor, useN8nAlone } from './setup';

const MINUTES = 60_000;
/** Rows that are sent before their table is written. */
const PORTION = 100;

const here = useN8nAlone();
const opened = useEditor(here);
const { asked, importRecipe } = useRecipes(here, opened);

const statuses = async (campaign: Campaign) =>
	(await campaign.rows()).map(({ status, tries }) => [status, tries]);
const svc = expect.stringMatching(/^svc_/) as string;
const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string;
const says = (words: string) => expect.stringContaining(words) as string;

/** Runs it; resolves to its counts, and to why it failed if it did. */
async function runOf(campaign: Campaign): Promise<{ counts: object; error?: string }> {
	return endOf(await campaign.run());
}

function endOf({ data }: Execution): { counts: object; error?: string } {
	const { runData, error } = data.resultData;
	const counts = runData.Result?.[0]?.data?.main?.[0]?.[0]?.json ?? {};
	return { counts, ...(error && { error: error.message }) };
}

const REFUSAL = { kind: 'refuse', code: 7, message: 'example reason' } as const;
const COUNTS = { sent: 0, skipped: 0, rejected: 0, notSent: 0, unknown: 0, newFailures: 0 };

test(
	'from a CSV to the last row: each says what became of it, and runs send only what is missing',
	async () => {
		const { editor } = opened;
		const campaign = await Campaign.make(here, 'spring-offer');
		expect(here.sandbox.requests).toEqual([]);
		const csv = join(here.folder, 'recipients.csv');
		const rows = [...recipients(5), { toId: '1.68885E+18' }];
		await writeFile(csv, ['toId', ...rows.map(({ toId }) => toId)].join('\n'));
		await editor.goTo('home/datatables');
		await editor.page.getByText('spring-offer', { exact: true }).click();
		await editor.see('data-table-header-add-row-button').waitFor();
		await editor.see('data-table-card-actions').click();
		await editor.page.getByText('Import CSV', { exact: true }).click();
		await editor.see('import-csv-upload').locator('input').setInputFiles(csv);
		await editor.see('import-csv-ready-to-import').waitFor();
		await takePicture(editor.page, 'campaign-import');
		await editor.see('import-csv-confirm').click();
		await editor.see('import-csv-confirm').waitFor({ state: 'hidden' });
		expect((await campaign.rows()).map(({ toId }) => ({ toId }))).toEqual(rows);

		here.sandbox.misbehave(
			{ kind: 'refuse', code: 123, message: 'example reason' },
			{ toId: 'customer-2', times: 2 },
		);
		here.sandbox.misbehave({ kind: 'dropAfterAccepting' }, { toId: 'customer-4' });
		await editor.openWorkflow(campaign.workflowId);
		expect(await editor.execute()).toContain('Problem in node ‘Make the Execution Fail‘');
		await editor.tidyUp();
		await takePicture(editor.page, 'campaign');
		const [latest] = await here.n8n.executions(campaign.workflowId);
		expect(endOf(await here.n8n.execution(latest?.id ?? ''))).toEqual({
			counts: { ...COUNTS, sent: 3, rejected: 1, notSent: 1, unknown: 1, newFailures: 3 },
			error:
				'3 new failures in spring-offer. This run: 3 sent, 0 skipped, 1 rejected, 1 not sent, 1 unknown. ' +
				'The table says why, and the note in the workflow what to do. Then execute the workflow again, or leave it to its schedule; Retry repeats only this error.',
		});
		const first = await campaign.rows();
		const sent = { status: 'sent', request_id: svc, time: moment, reason: null, tries: 1 };
		const failed = (status: string, reason: string, request_id: string | null = null) => ({
			...sent,
			status,
			request_id,
			reason: says(reason),
		});
		expect(first).toMatchObject([
			{ toId: 'customer-1', ...sent },
			{ toId: 'customer-2', ...failed('rejected', 'example reason', svc) },
			{ toId: 'customer-3', ...sent },
			{ toId: 'customer-4', ...failed('unknown', 'closed the connection') },
			{ toId: 'customer-5', ...sent },
			{ toId: '1.68885E+18', ...failed('notSent', 'too long to be exact') },
		]);

		// What failed before makes no second run fail, and what was not tried changes no row.
		here.sandbox.requests.length = 0;
		const again = { ...COUNTS, rejected: 1, notSent: 1 };
		expect(await runOf(campaign)).toEqual({ counts: again });
		expect(asked()).toEqual(['customer-2']);
		const second = await campaign.rows();
		expect(second[3]).toEqual(first[3]);
		const { reason, time, status } = first[5] as Row;
		expect(second[5]).toMatchObject({ reason, time, status, tries: 2 });

		expect(await runOf(campaign)).toEqual({ counts: { ...COUNTS, sent: 1, notSent: 1 } });
		expect((await campaign.rows())[1]).toMatchObject({ ...sent, tries: 3 });
		here.sandbox.requests.length = 0;
		expect(await runOf(campaign)).toEqual({ counts: COUNTS });
		expect(asked()).toEqual([]);

		// As after a crash before the table was written: it is sent, but the row does not say so.
		await campaign.edit('customer-1', { status: null, request_id: null, time: null, tries: null });
		// As a person who asked: this one has it, that one has not.
		await campaign.edit('customer-4', { status: 'sent' });
		expect(await runOf(campaign)).toEqual({ counts: { ...COUNTS, skipped: 1 } });
		expect(asked()).toEqual([]);
		const last = await campaign.rows();
		expect(last[0]).toMatchObject({ ...sent, request_id: null });
		expect(last[3]).toMatchObject({ status: 'sent', reason: null });
	},
	4 * MINUTES,
);

test('a limit per run: rows that were never tried come first, and nobody starves', async () => {
	const campaign = await Campaign.make(here, 'winter-offer');
	const fails = [1, 2, 3].map((number) => ({ toId: `fails-${number}` }));
	await campaign.fill([...fails, ...recipients(3)]);
	await campaign.fillIn({ campaign: 'winter-offer', mostPerRun: 2 });
	const isOne = ({ toId }: Record<string, unknown>) => String(toId).startsWith('fails-');
	const refusal = { kind: 'refuse', code: 1, message: 'no' } as const;
	here.sandbox.misbehave(refusal, { when: isOne, times: Infinity });
	for (let run = 1; run <= 3; run++) await campaign.run();
	const order = [...fails, ...recipients(3)].map(({ toId }) => toId);
	expect(asked()).toEqual(order);
	for (let run = 1; run <= 5; run++) await campaign.run();
	const [a, b, c] = order;
	expect(asked().slice(6)).toEqual([a, b, a, b, c, c]);
	expect(await statuses(campaign)).toEqual([
		...fails.map(() => ['rejected', 3]),
		...recipients(3).map(() => ['sent', 1]),
	]);
});

test('a dry run notes nothing, and who is on the other list is left out', async () => {
	const campaign = await Campaign.make(here, 'listed-offer');
	const left = [{ toId: 'left-out-1' }, { toId: 'left-out-2' }];
	await campaign.fill([...left, ...recipients(3), { toId: '1,5E+17' }]);
	const values = { campaign: 'listed-offer', mostPerRun: 2 };
	const dry = { parameters: { options: { sendOnceKey: 'listed-offer', dryRun: true } } };
	const rehearsed = { ...values, mostPerRun: 100, testRecipient: 'myself' };
	await campaign.fillIn(rehearsed, { 'Send Feed Video': dry });
	const before = await campaign.rows();
	expect(await runOf(campaign)).toEqual({ counts: { ...COUNTS, dryRun: 5, notSent: 1 } });
	expect(await campaign.rows()).toEqual(before);
	expect(asked()).toEqual([]);

	const list = await makeTable(here.n8n, 'not to these', left);
	const dataTableId = { __rl: true, mode: 'id', value: list };
	const notTo = { parameters: { dataTableId }, disabled: false };
	await campaign.fillIn(values, { 'Who May Be Written To': notTo });
	expect(await runOf(campaign)).toEqual({ counts: { ...COUNTS, sent: 2 } });
	expect(await runOf(campaign)).toMatchObject({ counts: { sent: 1, notSent: 1 } });
	expect(asked()).toEqual(recipients(3).map(({ toId }) => toId));
	expect(tally(await campaign.rows())).toEqual({ null: 2, sent: 3, notSent: 1 });
});

test('the service is down: of a portion nothing went through, so the campaign stops and says why', async () => {
	const campaign = await Campaign.make(here, 'late-offer');
	await campaign.fill(recipients(PORTION + 20));
	here.sandbox.misbehave({ kind: 'dropAfterAccepting' }, { times: Infinity });
	expect(await runOf(campaign)).toEqual({
		counts: {
			...COUNTS,
			unknown: PORTION,
			newFailures: PORTION,
			brake: says('closed the connection'),
		},
		error: expect.stringMatching(
			/^Stopped, as nothing of a whole portion went through\. The last reason: .*closed the connection.*100 new failures in /,
		) as string,
	});
	expect(asked()).toHaveLength(PORTION);
	expect(tally(await campaign.rows())).toEqual({ unknown: PORTION, null: 20 });

	here.sandbox.reset();
	expect(await runOf(campaign)).toEqual({ counts: { ...COUNTS, sent: 20 } });
	expect(doubles(here)).toEqual([]);
});

test('a portion of rows that are refused once more is no reason to stop, or to ring', async () => {
	const campaign = await Campaign.make(here, 'refused-offer');
	await campaign.fill(recipients(PORTION + 10));
	const refusal = { kind: 'refuse', code: 1, message: 'no' } as const;
	here.sandbox.misbehave(refusal, { times: Infinity });
	expect(await runOf(campaign)).toMatchObject({ counts: { brake: says('no') } });
	expect(await runOf(campaign)).toMatchObject({
		counts: { rejected: PORTION + 10, newFailures: 10 },
	});
	const rejected = { ...COUNTS, rejected: PORTION + 10 };
	expect(await runOf(campaign)).toEqual({ counts: rejected });
	expect(asked()).toHaveLength(3 * PORTION + 20);
});

test('nothing overwrites a row that says sent', async () => {
	const campaign = await Campaign.make(here, 'summer-offer');
	await campaign.fill(recipients(2));
	here.sandbox.misbehave({ kind: 'delay', milliseconds: 3000 }, { toId: 'customer-1' });
	here.sandbox.misbehave({ kind: 'refuse', code: 1, message: 'no' }, { toId: 'customer-2' });
	const id = await campaign.begin();
	await eventually(async () => expect(asked()).toEqual(['customer-1']));
	await campaign.edit('customer-2', { status: 'sent', reason: 'by hand' });
	await here.n8n.ended(id);
	expect(asked()).toEqual(['customer-1', 'customer-2']);
	expect(await campaign.rows()).toMatchObject([
		{ status: 'sent', request_id: svc },
		{ status: 'sent', reason: 'by hand' },
	]);
});

test('a rehearsal goes to oneself each time, also with another video, and then a person decides', async () => {
	const { editor } = opened;
	const campaign = await Campaign.make(here, 'rehearsed-offer');
	await campaign.fill([...recipients(2), { toId: 'asked-1' }, { toId: 'asked-2' }]);
	for (const toId of ['asked-1', 'asked-2']) {
		await campaign.edit(toId, { status: 'sent', reason: 'the connection was lost' });
	}
	const rehearse = async (feedId: string, answer: string, error?: unknown) => {
		const values = { campaign: 'rehearsed-offer', testRecipient: 'myself' };
		await campaign.fillIn({ ...values, 'feedVideo.feedId': feedId });
		await editor.openWorkflow(campaign.workflowId);
		const form = editor.page.context().waitForEvent('page');
		await editor.see('execute-workflow-button').click();
		const page = await form;
		await page.getByText('Did the video arrive as it should?').waitFor();
		await page.getByText('rehearsed-offer').waitFor();
		await page.locator('select').selectOption(answer);
		await page.locator('#submit-btn').click();
		// To the execution, as the form says "Problem submitting response" where that fails.
		const leadsTo = new RegExp(`/workflow/${campaign.workflowId}/executions/(\\d+)$`);
		await page.waitForURL(leadsTo);
		const [, id = ''] = leadsTo.exec(page.url()) ?? [];
		expect(endOf(await here.n8n.ended(id)).error).toEqual(error);
		await page.close();
	};
	const received = () => here.sandbox.messages.map(({ toId, feedId }) => [toId, feedId]);
	await rehearse('first', 'No');
	expect(received()).toEqual([['myself', 'first']]);
	here.sandbox.misbehave(REFUSAL, { toId: 'customer-2' });
	await rehearse('changed', 'Yes, send it to everyone', says('1 new failure in rehearsed-offer.'));
	await rehearse('changed', 'Yes, send it to everyone');
	const everyone = ['myself', 'customer-1', 'myself', 'customer-2'];
	expect(received()).toEqual([['myself', 'first'], ...everyone.map((toId) => [toId, 'changed'])]);
	expect(tally(await campaign.rows())).toEqual({ sent: 4 });
});

test(
	'n8n is killed while it sends: the next run sends the rest, and names what is in doubt',
	async () => {
		const campaign = await Campaign.make(here, 'autumn-offer');
		await campaign.fill(recipients(PORTION * 2));
		here.sandbox.misbehave({ kind: 'delay', milliseconds: 50 }, { times: Infinity });
		await campaign.begin();
		await eventually(async () => {
			expect(here.sandbox.messages.length).toBeGreaterThan(PORTION + 30);
		}, 1000);
		await here.crash();
		const before = here.sandbox.messages.length;
		// The table lacks no more than the portion that was under way.
		expect(tally(await campaign.rows())).toEqual({ sent: PORTION, null: PORTION });

		await campaign.run();
		const rows = await campaign.rows();
		expect(doubles(here)).toEqual([]);
		expectFewInDoubt(here, rows, before);
		const counts = arrivals(here);
		for (const { toId, status } of rows) {
			expect(['sent', 'unknown']).toContain(status);
			if (status === 'sent') expect(counts.get(toId)).toBe(1);
		}
	},
	4 * MINUTES,
);

test(
	"by n8n's own clock it sends so many in each run, without a rehearsal, and rings once for what failed",
	async () => {
		const alarms: Array<{ text: string }> = [];
		const chat = await serve((request, response) => {
			void json(request).then((body) => {
				alarms.push(body as { text: string });
				response.end();
			});
		});
		const alarm = await importRecipe('ring-when-a-workflow-fails', (recipe) =>
			recipe.replace('https://example.com/incoming-webhook', `${chat.origin}/incoming`),
		);
		await opened.editor.publish();
		const errorWorkflow = (await here.n8n.workflows()).find(({ name }) => name === alarm)?.id;

		const campaign = await Campaign.make(here, 'hourly-offer');
		await campaign.fill(recipients(5));
		here.sandbox.misbehave(REFUSAL, { toId: 'customer-2', times: Infinity });
		const values = { campaign: 'hourly-offer', mostPerRun: 2, testRecipient: 'myself' };
		await campaign.publish('*/10 * * * * *', values, { errorWorkflow });
		await eventually(async () => expect((await campaign.rows())[1]?.tries).toBe(3), 600);
		await campaign.unpublish();
		const again = ['customer-2', 'customer-2'];
		expect(asked()).toEqual([...recipients(5).map(({ toId }) => toId), ...again]);
		expect(tally(await campaign.rows())).toEqual({ sent: 4, rejected: 1 });

		const executions = await here.n8n.executions(campaign.workflowId);
		const scheduled = executions.filter(({ mode }) => mode === 'trigger').reverse();
		const ended = await Promise.all(scheduled.map(async ({ id }) => await here.n8n.ended(id)));
		expect(ended.slice(0, 4).map((each) => [each.status, endOf(each).counts])).toEqual([
			['error', { ...COUNTS, sent: 1, rejected: 1, newFailures: 1 }],
			['success', { ...COUNTS, sent: 2 }],
			['success', { ...COUNTS, sent: 1, rejected: 1 }],
			['success', { ...COUNTS, rejected: 1 }],
		]);
		const page = `/workflow/${campaign.workflowId}/executions/${scheduled[0]?.id}`;
		expect(alarms).toEqual([{ text: says(page) }]);
		expect(alarms[0]?.text).toMatch(
			/^hourly-offer failed: 1 new failure in hourly-offer\..*\nhttp/s,
		);
	},
	3 * MINUTES,
);
