import { decide, type Evidence } from '../../../../nodes/Workchat/execution/once/decide';

/** The states of `ledger key execution`; a dash for a source that does not know. */
test.each<[states: string, action: string, source: string | undefined]>([
	['free - -', 'send', undefined],
	['free - free', 'send', undefined],
	['free free -', 'send', undefined],
	['free free free', 'send', undefined],
	['free completed free', 'skip', 'key'],
	['reopened completed claimed', 'skip', 'key'],
	['free claimed free', 'hold', 'key'],
	['reopened claimed completed', 'hold', 'key'],
	['free free claimed', 'hold', 'execution'],
	['free free completed', 'hold', 'execution'],
	['reopened reopened completed', 'hold', 'execution'],
	['reopened - free', 'resend', 'ledger'],
	['reopened reopened reopened', 'resend', 'ledger'],
	['free reopened -', 'resend', 'key'],
	['free free reopened', 'resend', 'execution'],
])(
	'if ledger, Send Once Key and execution say "%s", the node decides to %s',
	(states, action, source) => {
		const [ledger, key, execution] = states
			.split(' ')
			.map((one) => (one === '-' ? undefined : one));
		expect(decide({ ledger, key, execution } as Evidence)).toEqual({ action, source });
	},
);
