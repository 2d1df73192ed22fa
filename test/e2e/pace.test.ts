import { NODE, SEND, TRIGGER, workflowOf } from '../../dev/engine/workflows';
import type { WorkflowJson } from '../../dev/engine/engine';
import { useN8n } from './setup';

const ITEMS = 1000;
const ROUNDS = 3;
const MINUTES = 60_000;

const here = useN8n();

const LIST = `={{ { items: Array.from({ length: ${ITEMS} }, (_, i) => ({ toId: 'customer-' + i })) } }}`;

async function add(options: object): Promise<string> {
	const workflow = workflowOf([], { ...SEND, options: { maxConcurrency: 10, ...options } });
	const nodes = workflow.nodes.map((node): WorkflowJson['nodes'][number] =>
		node.name === 'Items'
			? { ...node, parameters: { mode: 'raw', jsonOutput: LIST, options: {} } }
			: node,
	);
	return (await here.n8n.addWorkflow({ ...workflow, nodes })).id;
}

/** How many messages a second the node sends. */
async function paceOf(workflowId: string): Promise<number> {
	here.sandbox.reset();
	here.sandbox.misbehave({ kind: 'delay', milliseconds: 50 }, { times: Infinity });
	const { data } = await here.n8n.run(workflowId, TRIGGER, 500);
	expect(here.sandbox.messages).toHaveLength(ITEMS);
	const { executionTime = NaN } = data.resultData.runData[NODE]?.[0] ?? {};
	return (ITEMS / executionTime) * 1000;
}

test(
	'with a Send Once Key the node sends at least half as many messages a second as without',
	async () => {
		const plain = await add({});
		const keyed = await add({ sendOnceKey: '={{ $execution.id }}' });
		await paceOf(plain);
		await paceOf(keyed);
		const ratios: number[] = [];
		for (let round = 1; round <= ROUNDS; round++) {
			const without = await paceOf(plain);
			const pace = await paceOf(keyed);
			ratios.push(pace / without);
			process.stdout.write(
				`Messages a second: ${without.toFixed(0)} without a key, ${pace.toFixed(0)} with one ` +
					`and ${round * ITEMS} keys before\n`,
			);
		}
		// Whatever else the machine does slows the waits of a key more than the sending.
		expect(Math.max(...ratios)).toBeGreaterThan(0.5);
	},
	5 * MINUTES,
);
