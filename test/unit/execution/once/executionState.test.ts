import type { ClaimState, ExecutionState } from '../../../../nodes/Workchat/execution/once/decide';
import {
	planStart,
	stateAfterClaims,
	type CurrentExecution,
} from '../../../../nodes/Workchat/execution/once/executionState';
import type { Owner } from '../../../../nodes/Workchat/execution/once/ledger';

const ref = { establishedAt: 1 };
const run = { id: 'this', isRetry: false, ref, isOriginUnknown: false };
const retry = { ...run, isRetry: true };
const lost = { ...retry, isOriginUnknown: true };
const owner = (id: string, more: object = {}): Owner => ({
	id,
	runs: 2,
	standing: 'free',
	...more,
});
const since = (id: string) => ({ id, runs: 2 });
const shared = { shared: ref };
const unknown = { standing: 'reopened' };
const reopened = { state: 'reopened' };

test.each<[string, Owner | undefined, CurrentExecution, object, resends?: boolean]>([
	['a first run writes a marker', undefined, run, { marker: ref }],
	['a later run writes its own marker', owner('this'), run, { marker: since('this') }],
	['a Retry claims the messages since then', owner('other'), retry, { claim: since('other') }],
	['a Retry after a kill claims everything', undefined, retry, { claim: ref }],
	['a later run of a Retry writes a marker', owner('this'), retry, { marker: since('this') }],
	['a run writes no marker if its key decides', owner('this', shared), run, {}],
	['a Retry claims its key if that decides', owner('other', shared), retry, { claim: ref }],
	['a Retry of unknown origin sends nothing', undefined, lost, { state: 'claimed' }],
	['a Retry of unknown origin can resend', undefined, lost, { ...reopened, claim: ref }, true],
	['a Retry holds unknown outcomes back', owner('other', unknown), retry, { state: 'claimed' }],
])('%s', (_, before, current, expected, resends = false) => {
	const { marker, claim, state } = planStart(before, current, resends);
	expect({ marker, claim, state }).toEqual({ state: 'free', ...expected });
});

test.each<
	[ExecutionState, own: ClaimState, byKey: ClaimState | undefined, ExecutionState, boolean]
>([
	['free', 'free', undefined, 'free', false],
	['free', 'free', 'free', 'free', true],
	['free', 'free', 'claimed', 'free', false],
	['free', 'claimed', 'completed', 'byKey', true],
	['free', 'reopened', 'free', 'reopened', false],
	['free', 'claimed', 'free', 'claimed', false],
	['free', 'completed', undefined, 'completed', false],
	['byKey', 'free', undefined, 'byKey', false],
	['reopened', 'completed', 'completed', 'reopened', true],
	['reopened', 'completed', 'free', 'completed', false],
])(
	'a Retry of an execution that was saved as %s, with its key %s and the one with the Send Once Key %s, takes it for %s',
	(saved, own, byKey, state, isShared) => {
		expect(stateAfterClaims(saved, own, byKey)).toEqual({ state, isShared });
	},
);
