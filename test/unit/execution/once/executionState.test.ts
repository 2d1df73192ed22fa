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
	[string, ExecutionState, own: ClaimState, byKey: ClaimState | undefined, ExecutionState, boolean]
>([
	['a Retry sends what its execution did not', 'free', 'free', undefined, 'free', false],
	['a Retry with a new key sends, and then the key decides', 'free', 'free', 'free', 'free', true],
	[
		'a Retry whose key another run holds sends by its own claim',
		'free',
		'free',
		'claimed',
		'free',
		false,
	],
	[
		'a Retry with the key of an earlier one goes by this key',
		'free',
		'claimed',
		'completed',
		'byKey',
		true,
	],
	[
		'a Retry that resends keeps the outcome unknown until it has sent',
		'free',
		'reopened',
		'free',
		'reopened',
		false,
	],
	[
		'a Retry holds back what another one may be sending',
		'free',
		'claimed',
		'free',
		'claimed',
		false,
	],
	[
		'a Retry holds back what a later ledger knows',
		'free',
		'completed',
		undefined,
		'completed',
		false,
	],
	[
		'an execution whose key decides goes by it in each Retry',
		'byKey',
		'free',
		undefined,
		'byKey',
		false,
	],
	[
		'a Send Once Key does not make an unknown outcome known',
		'reopened',
		'completed',
		'completed',
		'reopened',
		true,
	],
	[
		'a Retry with another key holds back what a later ledger knows',
		'reopened',
		'completed',
		'free',
		'completed',
		false,
	],
])('%s', (_, saved, own, byKey, state, isShared) => {
	expect(stateAfterClaims(saved, own, byKey)).toEqual({ state, isShared });
});
