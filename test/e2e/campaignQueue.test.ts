import { recipients } from '../../dev/engine/workflows';
import { outputOf } from '../../dev/engine/outputOf';
import { arrivals, Campaign, expectFewInDoubt, tally } from './campaign';
import { eventually } from './editor';
import { useQueueMode } from './queueMode';

const MINUTES = 60_000;
const ROWS = 300;
/** Of the service, in milliseconds. */
const LATENCY = 50;

const here = useQueueMode({ OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true' });

beforeEach(() => {
	here.sandbox.misbehave({ kind: 'delay', milliseconds: LATENCY }, { times: Infinity });
});

const say = (line: string) => void process.stdout.write(`${line}\n`);
const doubles = () => [...arrivals(here)].filter(([, count]) => count > 1);

/** Every row is sent, or named as in doubt. */
async function expectNothingLost(campaign: Campaign): Promise<void> {
	const counts = arrivals(here);
	const rows = await campaign.rows();
	expect(rows).toHaveLength(ROWS);
	for (const { toId, status } of rows) {
		expect(['sent', 'unknown']).toContain(status);
		if (status === 'sent') expect(counts.get(toId)).toBeGreaterThanOrEqual(1);
	}
}

test(
	'a worker is killed in the midst of 300 rows: the next run sends the rest, once, and names what is in doubt',
	async () => {
		const workers = await here.twoWorkers();
		const campaign = await Campaign.make(here, 'spring-offer');
		await campaign.fill(recipients(ROWS));
		const id = await campaign.begin();
		await eventually(async () => {
			expect(here.sandbox.messages.length).toBeGreaterThan(ROWS / 3);
		}, 1000);
		const killed = workers.find(({ underWay }) => underWay.includes(id));
		await killed?.process.kill('SIGKILL');
		const before = here.sandbox.messages.length;
		expect(before).toBeLessThan(ROWS);
		expect(tally(await campaign.rows()).null).toBeLessThan(ROWS);

		await campaign.run();
		const rows = await campaign.rows();
		expect(doubles()).toEqual([]);
		await expectNothingLost(campaign);
		expectFewInDoubt(here, rows, before);
	},
	5 * MINUTES,
);

test(
	// That nobody gets two messages is measured only: docs/delivery.md says why it cannot be promised.
	'two workers run the same campaign at the same moment: nobody is left out',
	async () => {
		const workers = await here.twoWorkers();
		const campaign = await Campaign.make(here, 'summer-offer');
		await campaign.fill(recipients(ROWS));
		const ids = await Promise.all([campaign.begin(), campaign.begin()]);
		const executions = await Promise.all(ids.map(async (id) => await here.n8n.ended(id)));
		const shares = executions.map((execution) => {
			const [counts] = outputOf(execution, 'Result');
			return JSON.stringify(counts?.json);
		});
		const places = workers.map(({ begun }) => ids.filter((id) => begun.includes(id)).length);
		say(
			`Executions per worker: ${places.join(' and ')}. ${shares.join('; ')}. ` +
				`${here.sandbox.messages.length} arrived, ${doubles().length} twice. ` +
				`The table: ${JSON.stringify(tally(await campaign.rows()))}`,
		);
		await expectNothingLost(campaign);
	},
	5 * MINUTES,
);
