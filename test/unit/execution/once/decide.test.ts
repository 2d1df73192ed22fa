import { decide, type Evidence } from '../../../../nodes/Workchat/execution/once/decide';

/** The states of `ledger key execution`; a dash for a source that was not asked. */
test.each([
	['free - -', 'send'],
	['free - free', 'send'],
	['free free byKey', 'send'],
	['free - byKey', 'hold'],
	['completed - -', 'reuse'],
	['claimed - -', 'hold'],
	['free completed -', 'skip'],
	['reopened completed -', 'skip'],
	['free claimed -', 'hold'],
	['reopened claimed -', 'hold'],
	['free free claimed', 'hold'],
	['reopened reopened completed', 'hold'],
	['reopened - free', 'resend'],
	['free reopened byKey', 'resend'],
	['free free reopened', 'resend'],
])('if ledger, Send Once Key and execution say "%s", the node decides to %s', (states, action) => {
	const [ledger, key, execution] = states.split(' ').map((one) => (one === '-' ? undefined : one));
	expect(decide({ ledger, key, execution } as Evidence).action).toBe(action);
});
