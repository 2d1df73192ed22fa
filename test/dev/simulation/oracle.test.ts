import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

import spawn from 'cross-spawn';

import { drawPlan } from '../../dev/campaign/generate';
import { breachesOf, INVARIANTS } from '../../dev/campaign/oracle/invariants';
import type { Execution, Observed, Report } from '../../dev/campaign/oracle/observed';
import { DRY_BY_ITEM, type Plan, type PlannedRun } from '../../dev/campaign/plan';
import { LoopWatch } from '../../dev/campaign/real/loopWatch';
import type { Seen } from '../../dev/campaign/service/script';
import type { Step } from '../../dev/campaign/service/step';
import { projectRoot } from '../../dev/projectRoot';
import { PLAN, RUN } from '../support/plans';
import { thoroughly } from '../support/thorough';

test.each([
	['real', thoroughly('500', '30')],
	['simulated', thoroughly('4000', '40')],
])(
	'%s: %s plans break no promise',
	async (engine, runs) => {
		const program = 'build/dev/campaign/run.js';
		const options = ['--engine', engine, '--runs', runs, '--jobs', thoroughly('2', '1')];
		const child = spawn(process.execPath, [program, ...options], {
			cwd: projectRoot,
			stdio: ['ignore', 'pipe', 'ignore'],
		});
		const ended = new Promise((resolve) => child.once('close', resolve));
		const output = await text(child.stdout as Readable);
		expect(output).toMatch(/No violations/);
		expect(output).toMatch(new RegExp(`^plans +${runs}$`, 'm'));
		expect(output).toMatch(/^delivered messages +\d{2,}$/m);
		expect(await ended).toBe(0);
	},
	900_000,
);

test.each(['real', 'simulated'] as const)('%s: a number is the same plan again', (engine) => {
	expect(drawPlan(engine, 7, 42)).toEqual(drawPlan(engine, 7, 42));
	expect(drawPlan(engine, 8, 42)).not.toEqual(drawPlan(engine, 7, 42));
	expect(drawPlan(engine, 7, 43)).not.toEqual(drawPlan(engine, 7, 42));
});

const sent: Step = { label: 'ok', accepted: true, outcomes: ['sent'], ending: 'whole' };
const refused: Step = { label: 'no', accepted: false, outcomes: ['rejected'], ending: 'whole' };
const lost: Step = { label: 'lost', accepted: true, outcomes: ['unknown'], ending: 'drop' };

const seen = (item: number, step: Step, startedAt: number, more: Partial<Seen> = {}): Seen => ({
	item,
	step,
	startedAt,
	run: 0,
	isLink: false,
	hasKey: true,
	endedAt: startedAt + 5,
	endedBy: 'service',
	growth: 0,
	...more,
});
const report = (input: number, outcome: Report['outcome'], more: Partial<Report> = {}): Report => ({
	input,
	outcome,
	output: 0,
	text: '',
	length: 0,
	...more,
});
const execution = (reports: Report[], more: Partial<Execution> = {}): Execution => ({
	run: 0,
	status: 'success',
	startedAt: 0,
	endedAt: 100,
	reports,
	told: [],
	standstill: 0,
	standstills: 0,
	...more,
});

/** One request for each item, one after the other, and one word. */
const inTurn = (...steps: Step[]) => steps.map((step, item) => seen(item, step, 10 * item));
const said = (...outcomes: Array<Report['outcome']>) =>
	outcomes.map((outcome, input) => report(input, outcome));

const bothSent = inTurn(sent, sent);
const saidSent = said('sent', 'sent');
const withRuns = (...runs: Array<Partial<PlannedRun>>): Plan => ({
	...PLAN,
	runs: runs.map((run) => ({ ...RUN, ...run })),
});
const stops = withRuns({ onError: 'stopWorkflow' });
const stopsOneByOne = withRuns({
	onError: 'stopWorkflow',
	options: { ...RUN.options, maxConcurrency: 1, maxTries: 1 },
});
const keyed = withRuns({ options: { ...RUN.options, sendOnceKey: 'spring' } });
const dry = withRuns({ options: { ...RUN.options, dryRun: true } });
const dryByItem = {
	...withRuns({ options: { ...RUN.options, dryRun: DRY_BY_ITEM } }),
	items: PLAN.items.map((item, index) => ({ ...item, isDry: index === 1 })),
};
const twiceTheFirst = { ...PLAN, inputs: [0, 0] };
const download = { ...PLAN, kind: 'download' as const };
const thrown = { name: 'NodeApiError', message: 'no', input: 0, outcome: 'rejected' as const };
const threw = (more: object, status: Execution['status'] = 'error') => ({
	status,
	thrown: { ...thrown, ...more },
});

/** What the service saw, and what the items or the execution say of it. */
const observed = (
	requests: Seen[],
	told: Report[] | Partial<Execution>,
	plan = PLAN,
): Observed => ({
	plan,
	seen: requests,
	executions: [Array.isArray(told) ? execution(told) : execution([], told)],
});

test.each<[string, Observed]>([
	['sent', observed(bothSent, saidSent)],
	['refused and lost', observed(inTurn(refused, lost), said('rejected', 'unknown'))],
	['thrown', observed(inTurn(refused), threw({}), stops)],
	['dry', observed([], said('dry', 'dry'), dry)],
	['dry by the item', observed(inTurn(sent), said('sent', 'dry'), dryByItem)],
	[
		'files',
		observed(
			bothSent,
			saidSent.map((one) => ({ ...one, isFile: true })),
			download,
		),
	],
])('what is as it should be breaks no invariant: %s', (_, one) => {
	expect(breachesOf(one)).toEqual([]);
});

const BROKEN: Record<keyof typeof INVARIANTS, Record<string, Observed>> = {
	'delivered once': {
		twice: observed([...bothSent, seen(1, sent, 20)], saidSent),
		'again though unknown': observed([seen(0, lost, 0), ...bothSent], saidSent),
		'two items with one key': observed(bothSent, saidSent, keyed),
	},
	'dry stays dry': {
		'sent though the run is dry': observed(bothSent, said('dry', 'dry'), dry),
		'sent though the item is dry': observed(bothSent, said('sent', 'dry'), dryByItem),
		'shown though it is to be sent': observed([], said('dry', 'dry'), dryByItem),
		'called sent though the run is dry': observed(inTurn(sent), said('sent', 'dry'), dry),
	},
	'in order': {
		'the second first': observed([seen(1, sent, 0), seen(0, sent, 10)], saidSent),
		'at the same time': observed([seen(0, sent, 0), seen(1, sent, 4)], saidSent),
	},
	'few enough tries': {
		'three instead of two': observed(
			[0, 10, 20].map((at) => seen(0, refused, at)),
			said('rejected'),
		),
	},
	'true outcomes': {
		'rejected though it was delivered': observed(inTurn(lost, sent), said('rejected', 'sent')),
		'sent though it was refused': observed(inTurn(refused, sent), saidSent),
		'skipped though it was never sent': observed([], said('skipped', 'skipped'), keyed),
		'sent twice as often as it was': observed(inTurn(sent), saidSent, twiceTheFirst),
		'not sent though the service had it': observed(inTurn(refused, sent), said('notSent', 'sent')),
		'another file': observed(bothSent, [report(0, 'sent', { isFile: false })], download),
		'no file that was there': observed(
			bothSent,
			[report(0, 'rejected'), report(1, 'sent', { isFile: true })],
			download,
		),
	},
	'no needless doubt': {
		'nothing was left open': observed([seen(1, sent, 0)], said('unknown', 'sent')),
		'unknown though it was sent': observed(bothSent, said('unknown', 'sent')),
		'thrown as unknown': observed(inTurn(refused), threw({ outcome: 'unknown' }), stops),
	},
	'complete output': {
		'one item of two': observed(bothSent, said('sent')),
		'in another order': observed(bothSent, saidSent.toReversed()),
		'thrown with Continue': observed([], threw({}, 'success')),
		'an error of something else': observed(
			[],
			{ thrown: { name: 'TypeError', message: '' } },
			stops,
		),
	},
	'nothing unexpected': {
		'a slip': observed(bothSent, [report(0, 'unknown', { text: 'Something unexpected happened' })]),
	},
	'brief errors': {
		'a long one': observed(inTurn(refused), [report(0, 'rejected', { length: 15_000 })]),
	},
	'true counts': {
		'one instead of two': observed(
			bothSent,
			threw({ description: '1 of 2 items were sent.' }, 'success'),
		),
	},
	'secrets kept': { 'the key': observed(bothSent, { reports: saidSent, told: ['fakeKeyHead'] }) },
	'key stays home': { 'in a link': observed([seen(0, sent, 0, { isLink: true })], [], download) },
	ends: { never: observed([], { status: 'running', endedAt: undefined }) },
	'stops when cancelled': {
		'goes on': observed(
			[0, 1, 2].map((at) => seen(0, lost, at)),
			{ status: 'canceled', cancelledAt: -1, endedAt: 4 },
		),
		late: observed([], { status: 'canceled', cancelledAt: 0, endedAt: 5000 }),
	},
	'stops at a failure': { 'goes on': observed(inTurn(refused, sent), threw({}), stopsOneByOne) },
	frugal: {
		'with memory': observed(
			[seen(0, { ...lost, ending: 'bomb' }, 0, { growth: 1e9 })],
			said('unknown'),
		),
	},
};

describe.each(Object.entries(BROKEN))('%s:', (invariant, ways) => {
	test.each(Object.entries(ways))('%s is noticed', (_, one) => {
		expect(breachesOf(one).map((breach) => breach.invariant)).toContain(invariant);
	});
});

test('a loop that stands still because it is busy is noticed', async () => {
	const freezes: number[] = [];
	const watch = new LoopWatch(
		() => {},
		(milliseconds) => freezes.push(milliseconds),
	);
	await new Promise((resolve) => setTimeout(resolve, 50));
	const before = process.cpuUsage();
	while (process.cpuUsage(before).user < 900_000);
	await new Promise((resolve) => setTimeout(resolve, 50));
	watch.stop();
	expect(freezes).toHaveLength(1);
	expect(freezes[0]).toBeGreaterThan(700);
});
