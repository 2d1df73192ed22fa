import {
	approach,
	decide,
	standingOf,
	type Owner,
	type Standing,
	type State,
	type Told,
} from '../../../../nodes/Workchat/execution/once/decide';

/** Who says what, as `line key execution`; a dash was not asked. */
test.each([
	['free - -', 'send'],
	['free - free', 'send'],
	['free free byKey', 'send'],
	['free - byKey', 'leave'],
	['closed - -', 'tell'],
	['open - -', 'leave'],
	['free closed -', 'skip'],
	['reopened closed -', 'skip'],
	['free open -', 'leave'],
	['reopened open -', 'leave'],
	['free free open', 'leave'],
	['reopened reopened closed', 'leave'],
	['reopened - free', 'resend'],
	['free reopened byKey', 'resend'],
	['free free reopened', 'resend'],
])('where they say %s, a message is for: %s', (said, deed) => {
	const [line, key, execution] = said.split(' ').map((one) => (one === '-' ? undefined : one));
	expect(decide({ line, key, execution } as Told).deed).toBe(deed);
});

const begun = { establishedAt: 1 };
const now = { id: 'now', isRetry: false, begun, isStray: false };
const retry = { ...now, isRetry: true };
const owner = (id: string, more: Partial<Owner> = {}): Owner => ({
	id,
	runs: 2,
	standing: 'free',
	...more,
});
const runs = (id: string) => ({ id, runs: 2 });

const stray = { ...retry, isStray: true };
const resends = true;

test.each<[string, ReturnType<typeof approach>, object]>([
	['a first run', approach(undefined, now, false), { trace: begun }],
	[
		'a later run, by how many there were',
		approach(owner('now'), now, false),
		{ trace: runs('now') },
	],
	[
		'a Retry, of the messages since the record',
		approach(owner('old'), retry, false),
		{ claim: runs('old') },
	],
	['a Retry after a kill', approach(undefined, retry, false), { claim: begun }],
	['a later run of a Retry', approach(owner('now'), retry, false), { trace: runs('now') }],
	['a run by a shared key', approach(owner('now', { shared: begun }), now, false), {}],
	['a Retry by that', approach(owner('old', { shared: begun }), retry, false), { claim: begun }],
	['the Retry of who knows what', approach(undefined, stray, false), { standing: 'open' }],
	['that, to resend', approach(undefined, stray, resends), { standing: 'reopened', claim: begun }],
	[
		'a Retry of a doubt',
		approach(owner('old', { standing: 'reopened' }), retry, false),
		{ standing: 'open' },
	],
])('%s begins as the record and n8n say', (_, does, expected) => {
	const { trace, claim, standing } = does;
	expect({ trace, claim, standing }).toEqual({ standing: 'free', ...expected });
});

test.each<[before: Standing, name: State, key: State | undefined, is: Standing, isShared: boolean]>(
	[
		['free', 'free', undefined, 'free', false],
		['free', 'free', 'free', 'free', true],
		['free', 'free', 'open', 'free', false],
		['free', 'open', 'closed', 'byKey', true],
		['free', 'reopened', 'free', 'reopened', false],
		['free', 'open', 'free', 'open', false],
		['free', 'closed', undefined, 'closed', false],
		['byKey', 'free', undefined, 'byKey', false],
		['reopened', 'closed', 'closed', 'reopened', true],
		['reopened', 'closed', 'free', 'closed', false],
	],
)(
	'%s in the record, its name %s, by the key %s: the execution is %s',
	(before, name, key, is, isShared) => {
		expect(standingOf(before, name, key)).toEqual({ standing: is, isShared });
	},
);
