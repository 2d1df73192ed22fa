import { recipients } from '../../dev/engine/workflows';
import { arrivals, Campaign, expectFewInDoubt, tally, type Row } from './campaign';
import { eventually } from './editor';
import { takePicture } from './picture';
import { useEditor, useN8nAlone } from './setup';

const MINUTES = 60_000;

const here = useN8nAlone();
const opened = useEditor(here);

const to = (toId: string) => ({ when: (body: Record<string, unknown>) => body.toId === toId });
const asked = () => here.sandbox.requests.map(({ body }) => body?.toId);
const rowOf = (rows: Row[], toId: string) => rows.find((row) => row.toId === toId);
const svc = expect.stringMatching(/^svc_/) as string;
const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string;

test('each row says what became of it, and the next run sends only what is missing', async () => {
	const { editor } = opened;
	const campaign = await Campaign.make(here, 'spring-offer');
	expect(here.sandbox.requests).toEqual([]);
	await campaign.fill([...recipients(5), { toId: '' }]);
	here.sandbox.misbehave(
		{ kind: 'refuse', code: 123, message: 'example reason' },
		to('customer-2'),
	);
	here.sandbox.misbehave({ kind: 'dropAfterAccepting' }, to('customer-4'));

	await editor.openWorkflow(campaign.workflowId);
	expect(await editor.execute()).toContain('Workflow executed successfully');
	await editor.see('zoom-to-fit').click();
	await takePicture(editor.page, 'campaign');
	const first = await campaign.rows();
	const sent = { status: 'sent', request_id: svc, time: moment, reason: null };
	const failed = (status: string, reason: string, request_id: string | null = null) => ({
		status,
		request_id,
		time: moment,
		reason: expect.stringContaining(reason) as string,
	});
	expect(first).toMatchObject([
		{ toId: 'customer-1', ...sent },
		{ toId: 'customer-2', ...failed('rejected', 'example reason', svc) },
		{ toId: 'customer-3', ...sent },
		{ toId: 'customer-4', ...failed('unknown', 'closed the connection') },
		{ toId: 'customer-5', ...sent },
		{ toId: '', ...failed('notSent', 'Recipient ID comes out empty') },
	]);

	here.sandbox.requests.length = 0;
	await campaign.run();
	expect(asked()).toEqual(['customer-2']);
	const second = await campaign.rows();
	expect(second).toMatchObject([
		first[0] as Row,
		{ toId: 'customer-2', ...sent },
		first[2] as Row,
		{ toId: 'customer-4', ...failed('unknown', 'was begun for this recipient before') },
		first[4] as Row,
		{ toId: '', ...failed('notSent', 'Recipient ID comes out empty') },
	]);

	// As after a crash before the table was written: it is sent, but the row does not say so.
	here.sandbox.requests.length = 0;
	await campaign.edit('customer-1', { status: null, request_id: null, time: null });
	await campaign.run();
	expect(asked()).toEqual([]);
	expect(rowOf(await campaign.rows(), 'customer-1')).toMatchObject({
		...sent,
		request_id: null,
		reason: expect.stringContaining('got a message with this Send Once Key before') as string,
	});
});

test('nothing overwrites a row that says sent', async () => {
	const campaign = await Campaign.make(here, 'summer-offer');
	await campaign.fill(recipients(2));
	here.sandbox.misbehave({ kind: 'delay', milliseconds: 3000 }, to('customer-1'));
	here.sandbox.misbehave({ kind: 'refuse', code: 1, message: 'no' }, to('customer-2'));
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

test(
	'n8n is killed while it sends: the next run sends the rest, and names what is in doubt',
	async () => {
		const campaign = await Campaign.make(here, 'autumn-offer');
		await campaign.fill(recipients(100));
		here.sandbox.misbehave({ kind: 'delay', milliseconds: 50 }, { times: Infinity });
		await campaign.begin();
		await eventually(async () => expect(here.sandbox.messages.length).toBeGreaterThan(30));
		await here.crash();
		const before = here.sandbox.messages.length;
		expect(tally(await campaign.rows())).toEqual({ null: 100 });

		await campaign.run();
		const rows = await campaign.rows();
		const counts = arrivals(here);
		expect([...counts.values()].filter((count) => count > 1)).toEqual([]);
		expectFewInDoubt(here, rows, before);
		for (const { toId, status } of rows) {
			expect(['sent', 'unknown']).toContain(status);
			if (status === 'sent') expect(counts.get(toId)).toBe(1);
		}
	},
	4 * MINUTES,
);
