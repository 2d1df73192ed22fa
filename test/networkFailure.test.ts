import { NodeApiError, type INode } from 'n8n-workflow';

import { networkFailure } from '../nodes/Workchat/service/failure/networkFailure';
import type { Wording } from '../nodes/Workchat/service/failure/wording';
import { Secrets } from '../nodes/Workchat/service/failure/secrets';

const context: Wording = {
	receiver: 'The service',
	isRepeatable: false,
	secrets: Secrets.NONE,
};

test.each<[string, object, string, boolean]>([
	['CERT_HAS_EXPIRED', {}, 'notSent', false],
	['DEPTH_ZERO_SELF_SIGNED_CERT', {}, 'notSent', false],
	['ERR_TLS_CERT_ALTNAME_INVALID', {}, 'notSent', false],
	['EHOSTUNREACH', { syscall: 'connect' }, 'notSent', true],
	['EHOSTUNREACH', { syscall: 'read' }, 'unknown', true],
	['EAI_AGAIN', { syscall: 'getaddrinfo' }, 'notSent', true],
	['EAI_AGAIN', {}, 'unknown', true],
	['ETIMEDOUT', { syscall: 'connect' }, 'notSent', true],
	['ETIMEDOUT', {}, 'unknown', true],
	['ECONNABORTED', {}, 'unknown', true],
	['ECONNRESET', {}, 'unknown', true],
	[
		'ECONNRESET',
		{ message: 'Client network socket disconnected before secure TLS connection was established' },
		'notSent',
		true,
	],
	['EPIPE', {}, 'unknown', true],
	['ERR_CANCELED', {}, 'unknown', true],
	['EWHATEVER', {}, 'unknown', true],
])('%s %j is %s', (code, more, outcome, transient) => {
	const direct = { code, ...more };
	const wrapped = { name: 'NodeApiError', cause: { name: 'AxiosError', cause: direct } };
	const together = { cause: { name: 'AggregateError', errors: [direct] } };
	for (const error of [direct, wrapped, together]) {
		expect(networkFailure(error, context)).toMatchObject({ outcome, transient });
	}
});

test.each([
	['ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:1', 'notSent', /could not be reached$/],
	['ETIMEDOUT', 'connect ETIMEDOUT 192.0.2.1:443', 'notSent', /could not be reached$/],
	['ETIMEDOUT', 'read ETIMEDOUT', 'unknown', /did not answer in time$/],
	['ECONNRESET', 'socket hang up', 'unknown', /closed the connection/],
	['200', 'stream has been aborted', 'unknown', /closed the connection/],
])(
	'%s (%s) of an error whose cause is lost, as in n8n 1, is %s',
	(code, message, outcome, says) => {
		const error = new NodeApiError(
			{} as INode,
			Object.assign(new Error(message), { code }) as never,
		);
		Object.defineProperty(error, 'cause', { value: undefined });
		const failure = networkFailure(error, context);
		expect(failure).toMatchObject({ outcome, transient: true });
		expect(failure.message).toMatch(says);
	},
);

test('an address that n8n forbids was not called', () => {
	const failure = networkFailure({ cause: { name: 'SsrfBlockedIpError' } }, context);
	expect(failure).toMatchObject({ outcome: 'notSent', transient: false });
	expect(failure.message).toMatch(/does not allow/);
});
