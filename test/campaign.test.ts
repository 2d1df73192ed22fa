import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

import spawn from 'cross-spawn';

import { drawPlan } from '../dev/campaign/generate';
import { breachesOf, INVARIANTS } from '../dev/campaign/oracle/invariants';
import type { Execution, Observed, Report } from '../dev/campaign/oracle/observed';
import type { Plan, PlannedRun } from '../dev/campaign/plan';
import { LoopWatch } from '../dev/campaign/real/loopWatch';
import type { Seen } from '../dev/campaign/service/script';
import type { Step } from '../dev/campaign/service/step';
import { projectRoot } from '../dev/projectRoot';
import { thoroughly } from './thorough';

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

const first: PlannedRun = {
	parameters: {},
	options: {
		maxConcurrency: 2,
		maxTries: 2,
		requestInterval: 0,
		resendUnknown: false,
		timeout: 10_000,
	},
	onError: 'continueRegularOutput',
	edition: 0,
	isCalm: false,
	at: 0,
	process: 0,
};
const given: Plan = {
	number: 0,
	kind: 'send',
	line: 'http',
	items: [0, 1].map((index) => ({ marker: `c0i${index}`, toId: 'customer', script: [] })),
	inputs: [0, 1],
	retryOnFail: false,
	maxNodeTries: 2,
	mayComeOutEmpty: false,
	runs: [first],
};

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

const bothSent = [seen(0, sent, 0), seen(1, sent, 10)];
const saidSent = [report(0, 'sent'), report(1, 'sent')];
const withRuns = (...runs: Array<Partial<PlannedRun>>): Plan => ({
	...given,
	runs: runs.map((run) => ({ ...first, ...run })),
});
const stops = withRuns({ onError: 'stopWorkflow' });
const keyed = withRuns({ options: { ...first.options, sendOnceKey: 'spring' } });
const download = { ...given, kind: 'download' as const };
const thrown = { name: 'NodeApiError', message: 'no', input: 0, outcome: 'rejected' as const };

const broken = (requests: Seen[], reports: Report[] | Execution, of: Plan = given): Observed => ({
	plan: of,
	seen: requests,
	executions: [Array.isArray(reports) ? execution(reports) : reports],
});

test('what is as it should be breaks no invariant', () => {
	expect(breachesOf(broken(bothSent, saidSent))).toEqual([]);
	const requests = [seen(0, refused, 0), seen(1, lost, 10)];
	expect(breachesOf(broken(requests, [report(0, 'rejected'), report(1, 'unknown')]))).toEqual([]);
	const error = execution([], { status: 'error', thrown });
	expect(breachesOf(broken([seen(0, refused, 0)], error, stops))).toEqual([]);
	const file = [report(0, 'sent', { isFile: true }), report(1, 'sent', { isFile: true })];
	expect(breachesOf(broken(bothSent, file, download))).toEqual([]);
});

const BROKEN: Array<[keyof typeof INVARIANTS, string, Observed]> = [
	['delivered once', 'twice', broken([...bothSent, seen(1, sent, 20)], saidSent)],
	[
		'delivered once',
		'again though unknown',
		broken([seen(0, lost, 0), seen(0, sent, 10), seen(1, sent, 20)], saidSent),
	],
	['in order', 'the second first', broken([seen(1, sent, 0), seen(0, sent, 10)], saidSent)],
	['in order', 'at the same time', broken([seen(0, sent, 0), seen(1, sent, 4)], saidSent)],
	[
		'few enough tries',
		'three instead of two',
		broken(
			[0, 10, 20].map((at) => seen(0, refused, at)),
			[report(0, 'rejected')],
		),
	],
	[
		'true outcomes',
		'rejected though it was delivered',
		broken([seen(0, lost, 0), seen(1, sent, 10)], [report(0, 'rejected'), report(1, 'sent')]),
	],
	[
		'true outcomes',
		'sent though it was refused',
		broken([seen(0, refused, 0), seen(1, sent, 10)], saidSent),
	],
	[
		'true outcomes',
		'skipped though it was never sent',
		broken([], [report(0, 'skipped'), report(1, 'skipped')], keyed),
	],
	[
		'true outcomes',
		'sent twice as often as it was',
		broken([seen(0, sent, 0)], [report(0, 'sent'), report(1, 'sent')], {
			...given,
			inputs: [0, 0],
		}),
	],
	['delivered once', 'two items with one key', broken(bothSent, saidSent, keyed)],
	[
		'no needless doubt',
		'nothing was left open',
		broken([seen(1, sent, 0)], [report(0, 'unknown'), report(1, 'sent')]),
	],
	[
		'no needless doubt',
		'unknown though it was sent',
		broken(bothSent, [report(0, 'unknown'), report(1, 'sent')]),
	],
	[
		'true outcomes',
		'not sent though the service had it',
		broken([seen(0, refused, 0), seen(1, sent, 10)], [report(0, 'notSent'), report(1, 'sent')]),
	],
	[
		'true outcomes',
		'another file',
		broken(bothSent, [report(0, 'sent', { isFile: false })], download),
	],
	[
		'true outcomes',
		'no file that was there',
		broken(bothSent, [report(0, 'rejected'), report(1, 'sent', { isFile: true })], download),
	],
	[
		'no needless doubt',
		'thrown as unknown',
		broken(
			[seen(0, refused, 0)],
			execution([], { status: 'error', thrown: { ...thrown, outcome: 'unknown' } }),
			stops,
		),
	],
	['complete output', 'one item of two', broken(bothSent, [report(0, 'sent')])],
	['complete output', 'in another order', broken(bothSent, saidSent.toReversed())],
	['complete output', 'thrown with Continue', broken([], execution([], { thrown }))],
	[
		'complete output',
		'an error of something else',
		broken([], execution([], { thrown: { name: 'TypeError', message: '' } }), stops),
	],
	[
		'nothing unexpected',
		'a slip',
		broken(bothSent, [report(0, 'unknown', { text: 'Something unexpected happened' })]),
	],
	[
		'brief errors',
		'a long one',
		broken([seen(0, refused, 0)], [report(0, 'rejected', { length: 15_000 })]),
	],
	[
		'true counts',
		'one instead of two',
		broken(
			[...bothSent],
			execution([], { thrown: { ...thrown, description: '1 of 2 items were sent.' } }),
		),
	],
	['secrets kept', 'the key', broken(bothSent, execution(saidSent, { told: ['fakeKeyHead'] }))],
	['key stays home', 'in a link', broken([seen(0, sent, 0, { isLink: true })], [], download)],
	['ends', 'never', broken([], execution([], { status: 'running', endedAt: undefined }))],
	[
		'stops when cancelled',
		'goes on',
		broken(
			[0, 1, 2].map((at) => seen(0, lost, at)),
			execution([], { status: 'canceled', cancelledAt: -1, endedAt: 4 }),
		),
	],
	[
		'stops when cancelled',
		'late',
		broken([], execution([], { status: 'canceled', cancelledAt: 0, endedAt: 5000 })),
	],
	[
		'stops at a failure',
		'goes on',
		broken(
			[seen(0, refused, 0), seen(1, sent, 10)],
			execution([], { status: 'error', thrown }),
			withRuns({
				onError: 'stopWorkflow',
				options: { ...first.options, maxConcurrency: 1, maxTries: 1 },
			}),
		),
	],
	[
		'frugal',
		'with memory',
		broken([seen(0, { ...lost, ending: 'bomb' }, 0, { growth: 1e9 })], [report(0, 'unknown')]),
	],
];

test.each(BROKEN)('%s: %s is noticed', (invariant, _, observed) => {
	expect(breachesOf(observed).map((breach) => breach.invariant)).toContain(invariant);
});

test('every invariant is among those that are shown to notice something', () => {
	expect(new Set(BROKEN.map(([invariant]) => invariant))).toEqual(new Set(Object.keys(INVARIANTS)));
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
