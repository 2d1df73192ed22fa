import type { IDataObject } from 'n8n-workflow';

import { Campaign, type Cells, type Row, type Rows } from './campaign';

/** A campaign is sent in batches. Meanwhile, people opt out, click Stop, or start a second execution. */

const OUTCOMES = {
	sent: {},
	skipped: { skipped: true },
	rejected: { error: { outcome: 'rejected', message: 'no' } },
	notSent: { error: { outcome: 'notSent', message: 'no' } },
	unknown: { error: { outcome: 'unknown', message: 'no' } },
	claimed: { error: { outcome: 'unknown', message: 'started before', tried: false } },
};
type Outcome = keyof typeof OUTCOMES;
const answers = (outcomeOf: (toId: string, at: number) => Outcome) => (toIds: string[]) =>
	toIds.map((toId, at) => OUTCOMES[outcomeOf(toId, at)] as IDataObject);
const all = (outcome: Outcome) => answers(() => outcome);

const FULL_SPEED = { secondsBetween: 0 };
/** A campaign by the page. */
const page = (rows: Rows, changes: Partial<Campaign> = {}) =>
	new Campaign(rows, { click: () => ({}), ...changes });
const many = (count: number, row: Partial<Row> = {}) => Array<Partial<Row>>(count).fill(row);
const statuses = ({ list }: Campaign) => list.map(({ status }) => status ?? '');

const secondsOf = ({ clock }: Campaign) => clock.pauses.map((ms) => Math.round(ms / 1000));

test.each<[secondsBetween: number, duration: number, batches: number[]]>([
	[0, 0, [10, 100, 100, 10]],
	[0, 500, [10, 12, 12, 12]],
	[0.5, 0, [10, 12, 12, 12]],
	[2, 0, [3, 3, 3, 3]],
	[60, 0, [1, 1, 1, 1]],
])(
	'with a pace of %d s and messages of %d ms, a batch lasts six seconds: %j',
	async (secondsBetween, duration, batches) => {
		const sum = batches.reduce((one, other) => one + other);
		const campaign = page(many(sum), { values: { secondsBetween }, duration });
		expect(await campaign.run()).toMatchObject({ state: 'done', counts: { sent: sum }, left: 0 });
		expect(campaign.batches).toEqual(batches);
	},
);

test('the pace holds between batches, and a long pause is in parts', async () => {
	const campaign = page(many(7), { values: { secondsBetween: 2 } });
	await campaign.run();
	expect(secondsOf(campaign)).toEqual([2, 2]);
	const slow = page(many(3), { values: { secondsBetween: 100 } });
	await slow.run();
	expect(secondsOf(slow)).toEqual([40, 40, 20, 40, 40, 20]);
});

test.each<[string, Partial<Row>, Outcome, except: number, isStopped: boolean, rings: boolean]>([
	['the first ten messages fail', {}, 'notSent', -1, true, true],
	['one message succeeds in each batch', {}, 'notSent', 3, false, true],
	['all are rejected again', { status: 'rejected', tries: 1 }, 'rejected', -1, false, false],
	['all are unknown after a failure', { status: 'notSent', tries: 1 }, 'unknown', -1, true, true],
])('the automatic stop: %s', async (_, row, outcome, except, isStopped, rings) => {
	const campaign = new Campaign(many(250, row), {
		values: FULL_SPEED,
		send: answers((_, at) => (at === except ? 'sent' : outcome)),
	});
	const result = await campaign.run();
	expect(result).toMatchObject({ state: isStopped ? 'failed' : 'done', rings });
	expect(result.why).toBe(isStopped ? 'no' : '');
	expect(campaign.asked).toHaveLength(isStopped ? 10 : 250);
});

test.each([0, 2])(
	'at a pace of %d s, the first ten messages that fail stop a campaign, even if one of the first recipients opts out',
	async (secondsBetween) => {
		const unwanted = ['nobody'];
		const campaign = new Campaign(many(200), {
			...{ unwanted, values: { secondsBetween }, send: all('unknown') },
			// After the recipients are selected.
			refuses: (toId) => (unwanted.splice(1, 1, 'c-2'), !toId),
		});
		expect(await campaign.run()).toMatchObject({ state: 'failed', counts: { excluded: 1 } });
		expect(campaign.asked.length).toBeLessThanOrEqual(20);
		expect(campaign.asked.length).toBeGreaterThanOrEqual(10);
	},
);

test('a service that fails after some messages gets no more than a hundred', async () => {
	const campaign = page(many(400), {
		values: { ...FULL_SPEED, mostPerRun: 400 },
		send: answers((toId) => (Number(toId.slice(2)) <= 30 ? 'sent' : 'notSent')),
	});
	expect(await campaign.run()).toMatchObject({ state: 'failed', counts: { sent: 30 } });
	expect(campaign.asked.length).toBeLessThan(30 + 2 * 100);
});

test('after Stop, no batch is sent; Continue sends to the rest, and nobody gets it twice', async () => {
	const campaign = page(many(12), { stopIn: 2 });
	expect(await campaign.run()).toMatchObject({ state: 'stopped', left: 6, counts: { sent: 6 } });
	expect(statuses(campaign)).toEqual([
		...Array<string>(6).fill('sent'),
		...Array<string>(6).fill(''),
	]);
	expect(await campaign.sendAfter({})).toMatchObject({ state: 'done', left: 0, got: 6 });
	expect(campaign.asked).toEqual(campaign.list.map(({ toId }) => toId));
});

test('people whose outcome was unknown before Stop are in the result after Continue', async () => {
	const send = answers((toId) => (toId === 'c-1' ? 'unknown' : 'sent'));
	const campaign = page(many(4), { stopIn: 1, send });
	expect(await campaign.run()).toMatchObject({ state: 'stopped', counts: { sent: 2, unknown: 1 } });
	const result = await campaign.sendAfter({});
	expect(result).toMatchObject({ state: 'done', counts: { sent: 1 }, unknown: 1, got: 2 });
	expect(result.failures).toEqual([['c-1', 'unknown', 'no', null]]);
	expect(campaign.asked).toEqual(['c-1', 'c-2', 'c-3', 'c-4']);
});

test('a Stop during a long pause holds the next message', async () => {
	const campaign = page(many(3), { values: { secondsBetween: 86_400 } });
	const { pauses } = campaign.clock;
	pauses.push = (ms) => {
		if (pauses.length === 3) campaign.page.stop = 'stop';
		return Array.prototype.push.call(pauses, ms);
	};
	expect(await campaign.run()).toMatchObject({ state: 'stopped', counts: { sent: 1 } });
	expect(pauses).toHaveLength(4);
});

test('people whose outcome is unknown get it once more only if somebody says so, in batches of their own', async () => {
	const rows = [...many(3, { status: 'unknown', tries: 1 }), 'a', 'b'];
	const campaign = page(rows, { values: FULL_SPEED, click: () => ({ also: 'unknown' }) });
	expect(await campaign.open()).toMatchObject({ sends: 2, resends: 3 });
	expect(await campaign.run()).toMatchObject({ total: 5, counts: { sent: 5 } });
	expect(campaign.asked).toEqual(['a', 'b', 'c-1', 'c-2', 'c-3']);
	expect(campaign.batches).toEqual([2, 3]);
	const yes = page(rows);
	expect(await yes.run()).toMatchObject({ total: 2, counts: { sent: 2 } });
	expect(yes.asked).toEqual(['a', 'b']);
});

test('people who opt out mid-run are excluded from the next batch on', async () => {
	const unwanted = ['nobody'];
	const campaign = new Campaign(many(150), {
		...{ unwanted, values: FULL_SPEED },
		refuses: (toId) => (unwanted.splice(1, 2, 'c-2', 'c-3'), !toId),
		send(toIds) {
			unwanted.push('"C-120", c-121');
			return toIds.map(() => ({}));
		},
	});
	const excluded = ['c-2', 'c-3', 'c-120', 'c-121'];
	expect(await campaign.run()).toMatchObject({ counts: { sent: 146, excluded: 4 }, left: 0 });
	const toIds = campaign.list.map(({ toId }) => toId);
	expect(campaign.asked).toEqual(toIds.filter((toId) => !excluded.includes(toId)));
	expect(campaign.list[1]).toMatchObject({ status: null, reason: 'excluded: do-not-contact' });
});

test('a do-not-contact list that can no longer be read stops the campaign', async () => {
	const unwanted: unknown[] = ['nobody'];
	const send = all('sent');
	const campaign = page(many(6), { unwanted, send: (ids) => (unwanted.push(788e18), send(ids)) });
	const result = await campaign.run();
	expect(result).toMatchObject({ state: 'failed', counts: { sent: 3 } });
	expect(result.why).toContain('Nothing more was sent. In do-not-contact, row 2');
});

describe('two executions at the same moment', () => {
	const claims = ['c-1', 'c-5', 'c-15'];
	const rows = many(15);

	test('messages that the other one was sending are tried again at the end, ten seconds later', async () => {
		const seen = new Set<string>();
		const campaign = new Campaign(rows, {
			send: answers((toId) => {
				const isFirst = !seen.has(toId);
				seen.add(toId);
				return !claims.includes(toId) ? 'sent' : isFirst ? 'claimed' : 'skipped';
			}),
		});
		const result = await campaign.run();
		expect(result).toMatchObject({ state: 'done', rings: false, counts: { sent: 12, skipped: 3 } });
		expect(new Set(statuses(campaign))).toEqual(new Set(['sent']));
		expect(secondsOf(campaign).at(-1)).toBe(10);
	});

	test('messages that nobody completes are unknown, and trigger the alarm', async () => {
		const send = answers((toId) => (claims.includes(toId) ? 'claimed' : 'sent'));
		const campaign = new Campaign(rows, { send });
		expect(await campaign.run()).toMatchObject({ rings: true, counts: { sent: 12, unknown: 3 } });
		expect(campaign.list.filter(({ toId }) => claims.includes(toId))).toMatchObject(
			claims.map(() => ({ status: 'unknown', tries: 1 })),
		);
	});

	test('a success replaces an unknown outcome that the other one saved', async () => {
		const campaign = page(['a'], { meanwhile: ([row]) => void (row!.status = 'unknown') });
		await campaign.run();
		expect(statuses(campaign)).toEqual(['sent']);
	});

	test('a failure does not replace a success that the other one saved', async () => {
		const meanwhile = ([row]: Row[]) => void (row!.status = 'sent');
		const campaign = page(['a'], { send: all('rejected'), meanwhile });
		await campaign.run();
		expect(statuses(campaign)).toEqual(['sent']);
	});
});

test('what another execution selected is sent to nobody, and says so', async () => {
	const campaign = page(['a'], { file: ['toId', 'p-1000001'] });
	await campaign.run();
	expect(campaign.asked).toEqual(['a', 'p-1000001']);
	expect(campaign.checked.map((item) => campaign.recipientOf(item, '9'))).toEqual(['', '']);
	const code = (name: string) => campaign.recipe.code(name, [{}, {}], { $execution: { id: '9' } });
	expect(() => code('Record Result')).toThrow('Another execution selected these recipients');
	expect(code('New Recipients')).toEqual([]); // else a Retry would add them once more
});

test.each<[fullAfter: number, file: Cells | undefined, asked: number]>([
	[0, undefined, 0],
	[0, ['toId', 'p-1000001'], 0],
	[5, undefined, 10],
])(
	'if tables are full after %d results, with the list %j, %d messages are sent',
	async (fullAfter, file, asked) => {
		const rows = file ? [] : many(30);
		const campaign = page(rows, { fullAfter, file, values: FULL_SPEED });
		const { why, state } = await campaign.run();
		expect([campaign.asked.length, state]).toEqual([asked, 'failed']);
		expect(why).toContain('could not write to its data tables');
	},
);

test('a campaign with nobody left to send to is done, and its table is unchanged', async () => {
	const campaign = page(['B'], { unwanted: ['b'] });
	const before = structuredClone(campaign.list);
	const result = await campaign.run();
	expect(result).toMatchObject({ state: 'done', why: '', total: 0, done: 0, left: 0, excluded: 1 });
	expect([campaign.asked, campaign.list]).toEqual([[], before]);
});

test('the page shows 200 people who did not get it, and the number of others', async () => {
	const campaign = page([...many(230), { status: 'paused' }], {
		values: FULL_SPEED,
		send: answers((_, at) => (at % 9 === 0 ? 'sent' : 'rejected')),
	});
	const { failures, rest, counts } = await campaign.run();
	expect(failures).toHaveLength(200);
	expect(failures[0]).toEqual([expect.any(String), 'rejected', 'no', null]);
	expect(counts.rejected! + 1).toBeGreaterThan(200);
	expect(rest).toBe(counts.rejected! + 1 - 200);
});

test('Continue counts people to whom the next run sends: the rest, and failures with tries left', async () => {
	const rows = [...many(4), { tries: 2, status: 'rejected' }, { tries: 1, status: 'notSent' }];
	const campaign = page(rows, {
		values: { ...FULL_SPEED, mostPerRun: 5 },
		send: answers((toId) => (toId === 'c-1' ? 'sent' : toId === 'c-2' ? 'unknown' : 'rejected')),
		refuses: (toId) => toId === 'c-4',
	});
	// c-3 and c-6 can be tried again, or not yet; c-5 has failed three times, and the ID of c-4 is wrong.
	expect(await campaign.run()).toMatchObject({ total: 4, done: 4, left: 2 });
});
