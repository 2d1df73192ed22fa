import { nodeOf, recipients, SEND, TRIGGER, workflowOf } from '../../dev/engine/workflows';
import type { WorkflowJson } from '../../dev/engine/engine';
import { arrivals } from './campaign';
import { useN8n } from './setup';

/** Our node in a workflow that another one runs: what it says has to hold there, too. */

const MINUTES = 60_000;
const COUNT = 5;
const REFUSED = 4;

const here = useN8n();

/** Fails at one of its recipients, the first time. */
async function addSub(options: object): Promise<string> {
	const parameters = { ...SEND, options: { maxTries: 1, ...options } };
	const sub = workflowOf(recipients(COUNT), parameters);
	sub.nodes[0] = nodeOf(TRIGGER, 'n8n-nodes-base.executeWorkflowTrigger', {
		typeVersion: 1.1,
		parameters: { inputSource: 'passthrough' },
	});
	const added = await here.n8n.addWorkflow({ ...sub, name: 'Sub' });
	await here.n8n.publish(added);
	return added.id;
}

/** @param maxTries of the node that runs the other workflow */
async function addParent(workflowId: string, maxTries: number): Promise<string> {
	const call = nodeOf('Call', 'n8n-nodes-base.executeWorkflow', {
		typeVersion: 1.2,
		retryOnFail: true,
		maxTries,
		waitBetweenTries: 1,
		parameters: {
			workflowId: { __rl: true, mode: 'id', value: workflowId },
			mode: 'once',
			options: {},
		},
	});
	const parent: WorkflowJson = {
		name: 'Parent',
		nodes: [nodeOf(TRIGGER, 'n8n-nodes-base.manualTrigger'), call],
		connections: { [TRIGGER]: { main: [[{ node: 'Call', type: 'main', index: 0 }]] } },
	};
	return (await here.n8n.addWorkflow(parent)).id;
}

async function errorsOfSub(id: string) {
	const executions = await here.n8n.executions(id);
	const ended = await Promise.all(executions.map(async (each) => await here.n8n.ended(each.id)));
	return ended.map(({ data }) => data.resultData.error).reverse();
}

const mostArrivals = () => Math.max(...arrivals(here).values());

beforeEach(() => {
	here.sandbox.misbehave(
		{ kind: 'httpError', status: 400 },
		{ toId: `customer-${REFUSED}`, times: Infinity },
	);
});

test(
	'without a key: its errors say that the parent sends again',
	async () => {
		const sub = await addSub({});
		await here.n8n.run(await addParent(sub, 2), TRIGGER);
		expect(mostArrivals()).toBe(2);
		for (const error of await errorsOfSub(sub)) {
			expect(error?.description).toContain(
				'3 of 5 items were sent; 1 was not tried. Retry of this execution does not send these again; ' +
					'Retry of the parent execution does, and so does Retry On Fail of the node that runs this workflow.',
			);
		}
	},
	2 * MINUTES,
);

test(
	'with a key: nothing sends again, and its errors say so',
	async () => {
		const sub = await addSub({ sendOnceKey: 'spring' });
		const parent = await addParent(sub, 2);
		const failed = await here.n8n.run(parent, TRIGGER);
		await here.n8n.retry(failed.id);
		expect(mostArrivals()).toBe(1);
		const errors = await errorsOfSub(sub);
		expect(errors).toHaveLength(4);
		for (const error of errors) {
			expect(error?.description).toContain(
				'3 of 5 items were sent; 1 was not tried. Whatever runs this again, their Send Once Key keeps these from being sent again.',
			);
		}
	},
	2 * MINUTES,
);
