import { outputOf } from '../../dev/engine/outputOf';
import { NODE, nodeOf, recipients, SEND, TRIGGER, workflowOf } from '../../dev/engine/workflows';
import type { NodeSettings } from '../../dev/engine/workflows';
import type { Execution } from '../../dev/n8n/n8nClient';
import { arrivals } from './campaign';
import { eventually } from './editor';
import { useN8nAlone } from './setup';

/** n8n is killed while it sends, or before, and somebody presses Retry, or Execute Workflow again. */

const MINUTES = 60_000;
const COUNT = 60;

const here = useN8nAlone();
const slowly = () =>
	here.sandbox.misbehave({ kind: 'delay', milliseconds: 50 }, { times: Infinity });

const doubles = () => [...arrivals(here)].filter(([, count]) => count > 1);
const errorOf = ({ data }: Execution) => data.resultData.error;
const add = async (options: object, settings: NodeSettings = {}) => {
	const parameters = { ...SEND, options: { maxTries: 1, ...options } };
	return (await here.n8n.addWorkflow(workflowOf(recipients(COUNT), parameters, settings))).id;
};

/** Kills n8n in the middle of the list. */
async function crash(): Promise<void> {
	await eventually(async () => expect(here.sandbox.messages.length).toBeGreaterThan(20));
	await here.crash();
}

test(
	'without a key: Retry of what was killed sends nothing again, and says so',
	async () => {
		slowly();
		const workflow = workflowOf(recipients(COUNT), { ...SEND, options: { maxTries: 1 } });
		// Of one that was begun by hand, n8n saves nothing before its end.
		workflow.nodes[0] = nodeOf(TRIGGER, 'n8n-nodes-base.webhook', {
			typeVersion: 2,
			webhookId: 'killed',
			parameters: { httpMethod: 'POST', path: 'killed' },
		});
		const added = await here.n8n.addWorkflow(workflow);
		await here.n8n.publish(added);
		await fetch(`${here.n8n.url}/webhook/killed`, { method: 'POST' });
		await crash();
		const before = here.sandbox.requests.length;
		const [{ id = '' } = {}] = await here.n8n.executions(added.id);
		for (let retry = 0; retry < 2; retry++) {
			const retried = await here.n8n.retry(id);
			expect(retried.status).toBe('error');
			expect(errorOf(retried)?.message).toBe(
				'Not sent again: This execution was cut off before while it sent its messages',
			);
		}
		expect(here.sandbox.requests).toHaveLength(before);
		expect(doubles()).toEqual([]);
	},
	4 * MINUTES,
);

test(
	'with a key, stopping on errors: the next run sends all others, and names those in doubt',
	async () => {
		slowly();
		const id = await add({ sendOnceKey: 'spring' });
		await here.n8n.begin(id, TRIGGER);
		await crash();
		const { length: before } = here.sandbox.messages;
		const again = await here.n8n.run(id, TRIGGER);
		expect(errorOf(again)?.message).toMatch(/^A message with the Send Once Key "spring" was begun/);
		expect(errorOf(again)?.description).toMatch(/\d+ of 60 items were sent, and \d+ may have been/);
		expect(doubles()).toEqual([]);
		const missing = COUNT - arrivals(here).size;
		process.stdout.write(
			`SIGKILL after ${before} of ${COUNT}; then ${here.sandbox.messages.length - before} more, ` +
				`${missing} missing\n`,
		);
		// At most what was claimed ahead of the sending, and what was on its way.
		expect(missing).toBeLessThanOrEqual(11);
		const third = await here.n8n.run(id, TRIGGER);
		expect(errorOf(third)?.message).toBe(errorOf(again)?.message);
		expect(doubles()).toEqual([]);
	},
	4 * MINUTES,
);

test(
	'as it failed before the node, and Retry is pressed twice: each message goes out once',
	async () => {
		const workflow = workflowOf(recipients(COUNT), { ...SEND, options: { maxTries: 1 } });
		const broken = structuredClone(workflow);
		const split = broken.nodes.find(({ name }) => name === 'Split');
		if (split) split.parameters.fieldToSplitOut = '={{ $json.nothing.at.all }}';
		const { id } = await here.n8n.addWorkflow(broken);
		const failed = await here.n8n.run(id, TRIGGER);
		expect(failed.status).toBe('error');
		await here.n8n.editWorkflow(id, workflow);
		const retries = await Promise.all([1, 2].map(async () => await here.n8n.retry(failed.id)));
		expect(arrivals(here).size).toBe(COUNT);
		expect(doubles()).toEqual([]);
		expect(retries.map(({ status }) => status)).toContain('error');
	},
	4 * MINUTES,
);

test.each([{}, { sendOnceKey: 'summer' }])(
	'an execution that takes too long shows what was sent and what is in doubt: %j',
	async (options) => {
		const parameters = { ...SEND, options: { maxTries: 1, ...options } };
		const settings = { onError: 'continueRegularOutput' } as const;
		const workflow = workflowOf(recipients(COUNT), parameters, settings);
		workflow.settings = { ...workflow.settings, executionTimeout: 4 };
		here.sandbox.misbehave({ kind: 'hang' }, { toId: 'customer-10' });
		slowly();
		const { id } = await here.n8n.addWorkflow(workflow);
		const ended = await here.n8n.run(id, TRIGGER);
		expect(ended.status).toBe('canceled');
		const ends = outputOf(ended, NODE).map(({ json }) => (json.error ? 'failed' : 'sent'));
		expect(ends).toEqual([...Array(9).fill('sent'), 'failed']);
	},
	2 * MINUTES,
);
