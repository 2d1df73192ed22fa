import { outputOf } from '../../dev/engine/outputOf';
import { NODE, recipients, SEND, TRIGGER, VIDEO, workflowOf } from '../../dev/engine/workflows';
import { useEditor, useN8n } from './setup';

const here = useN8n();
const opened = useEditor(here);

/** Both as the engine runs them, Retry On Fail and On Error are tested without n8n. */
const sendTo = async (count: number) =>
	await here.n8n.addWorkflow(workflowOf(recipients(count), SEND));

const received = () => here.sandbox.messages.map(({ toId }) => toId);

/** Refuses the next message to this recipient. */
const refuse = (toId: string) =>
	here.sandbox.misbehave({ kind: 'refuse', code: 123, message: 'example reason' }, { toId });

test('retrying a failed execution from the list sends only what is missing', async () => {
	const { editor } = opened;
	refuse('customer-2');
	const { id } = await sendTo(3);
	const failed = await here.n8n.run(id, TRIGGER);
	expect(failed.status).toBe('error');
	expect(received()).toEqual(['customer-1']);
	// Neither the key nor what is secret about the video is saved with the error.
	const error = JSON.stringify(failed.data.resultData.error);
	expect(error).toContain('svc_');
	expect(error).not.toContain(here.sandbox.key);
	expect(error).not.toContain(VIDEO.encodeData);

	await editor.goTo('home/executions');
	const row = editor.see('global-execution-list-item').filter({ hasText: 'Error' }).first();
	await row.getByRole('button').last().click();
	// Each row has a menu, of which one is open.
	await editor.see('execution-retry-saved-dropdown-item').filter({ visible: true }).click();
	await editor.page.getByText('Retry successful').waitFor();

	expect(received()).toEqual(['customer-1', 'customer-2', 'customer-3']);
	const [latest] = await here.n8n.executions(id);
	const retried = await here.n8n.execution(latest?.id ?? '');
	expect(retried).toMatchObject({ status: 'success', mode: 'retry' });
	expect(outputOf(retried, NODE)).toHaveLength(3);
});

test('three Retries of one execution, one after the other, send nothing twice', async () => {
	refuse('customer-2');
	const { id } = await sendTo(4);
	const original = await here.n8n.run(id, TRIGGER);
	expect(received()).toEqual(['customer-1']);

	refuse('customer-4');
	const retries = [];
	for (let count = 1; count <= 3; count++) retries.push(await here.n8n.retry(original.id));
	expect(retries.map(({ status }) => status)).toEqual(['error', 'error', 'error']);
	// What the first of them left open, the second sent.
	const all = recipients(4).map(({ toId }) => toId);
	expect(received()).toEqual(all);
	for (const { data } of retries.slice(1)) {
		expect(data.resultData.error?.message).toBe(
			`Not sent again: Another retry of execution ${original.id} sent this message: see there`,
		);
	}

	// The record of the second one has everything.
	expect((await here.n8n.retry(retries[1]?.id ?? '')).status).toBe('error');
	expect(received()).toEqual(all);
});
