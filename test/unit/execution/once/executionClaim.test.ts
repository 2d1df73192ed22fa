import {
	planStart,
	type CurrentExecution,
} from '../../../../nodes/Workchat/execution/once/executionClaim';
import type { Owner } from '../../../../nodes/Workchat/execution/once/ledger';

const ref = { establishedAt: 1 };
const run = { id: 'this', isRetry: false, ref, isOriginUnknown: false };
const retry = { ...run, isRetry: true };
const lost = { ...retry, isOriginUnknown: true };
const owner = (id: string, more: Partial<Owner> = {}): Owner => {
	return { id, runs: 2, sendOnceKey: '', state: 'free', ...more };
};
const since = (id: string) => ({ id, runs: 2 });
const hadSpring = { sendOnceKey: 'spring' };
const spring = { keySetting: 'spring' };
const reopened = { state: 'reopened' as const };
const resends = { resendUnknown: true };
const nothing = { step: 'none' };

test.each<[string, Owner | undefined, CurrentExecution, object, object]>([
	['a first run writes a marker', undefined, run, {}, { step: 'mark', ref }],
	['a later run does', owner('this'), run, {}, { step: 'mark', ref: since('this') }],
	['a later run with a key does not', owner('this', hadSpring), run, spring, nothing],
	[
		'a later run sends nothing if its key cannot be read',
		owner('this', hadSpring),
		run,
		{},
		{ ...nothing, state: 'completed' },
	],
	['a later run of a Retry does', owner('this'), retry, {}, { step: 'mark', ref: since('this') }],
	['a Retry claims what was not sent', owner('a'), retry, {}, { step: 'claim', ref: since('a') }],
	['a Retry with an added key, too', owner('a'), retry, spring, { step: 'claim', ref: since('a') }],
	['a Retry after a kill claims everything', undefined, retry, {}, { step: 'claim', ref }],
	[
		'in a Retry with the same key, the key decides',
		owner('a', hadSpring),
		retry,
		spring,
		{ ...nothing, state: undefined },
	],
	[
		'a Retry without the key sends nothing',
		owner('a', hadSpring),
		retry,
		{},
		{ ...nothing, state: 'completed' },
	],
	[
		'a Retry with another key sends nothing',
		owner('a', hadSpring),
		retry,
		{ keySetting: 'summer' },
		{ ...nothing, state: 'completed' },
	],
	[
		'a Retry of unknown origin sends nothing',
		undefined,
		lost,
		{},
		{ ...nothing, state: 'claimed' },
	],
	['but it can resend', undefined, lost, resends, { step: 'claim', ref, ...reopened }],
	[
		'a Retry after a Retry that resent sends nothing',
		owner('a', reopened),
		retry,
		{},
		{ ...nothing, state: 'claimed' },
	],
	[
		'nor with its key',
		owner('a', { ...hadSpring, ...reopened }),
		retry,
		spring,
		{ ...nothing, state: 'claimed' },
	],
	[
		'but it can resend with its key',
		owner('a', { ...hadSpring, ...reopened }),
		retry,
		{ ...spring, ...resends },
		{ ...nothing, ...reopened },
	],
])('%s', (_, before, current, settings, expected) => {
	const plan = planStart(before, current, {
		keySetting: '',
		resendUnknown: false,
		...settings,
	});
	expect(plan).toEqual({ state: 'free', ...expected });
});
