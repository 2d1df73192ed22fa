import {
	asFailure,
	Failure,
	failureOf,
	inputFailure,
} from '../../../../nodes/Workchat/service/failure/failure';
import { about } from '../../../support/about';

const OPTIONS = { outcome: 'rejected', origin: 'service', advice: 'Wait.' } as const;

test.each([
	[{}, ''],
	[{ httpStatus: 299 }, ''],
	[{ httpStatus: 300 }, ' (HTTP 300)'],
	[{ code: 0 }, ' (code 0)'],
	[{ code: 7, httpStatus: 400, request_id: 'svc_1' }, ' (code 7, HTTP 400, request ID svc_1)'],
])('the facts %j are told behind the sentence', (facts, told) => {
	const failure = new Failure('It failed', { ...OPTIONS, ...facts });
	expect(failure).toMatchObject({ message: `It failed${told}`, happened: 'It failed' });
	expect(failure.details).toEqual(facts);
});

test('no part of a failure tells a secret or is endlessly long', () => {
	const secretive = { ...about, secrets: ['fake-key'], toId: 'a fake-key' };
	const asked = { ...secretive, request_id: 'svc_fake-key' };
	const failure = failureOf(asked, `fake-key ${'x'.repeat(1e5)}`, OPTIONS);
	expect(failure.details).toEqual({ toId: 'a ***', request_id: 'svc_***' });
	expect(failure.message).toMatch(/^The service \*\*\* x+… \(request ID svc_\*\*\*\)$/);
	expect(failure.happened).toHaveLength(1501);
	const long = failureOf({ ...secretive, request_id: 'x'.repeat(1e5) }, 'failed', OPTIONS);
	expect(long.details.request_id).toHaveLength(201);
	expect(inputFailure('has fake-key', '', secretive).message).toBe('has ***');
	expect(asFailure(new Error('of fake-key'), secretive).message).toMatch(/happened: of \*\*\*$/);
});

test('bad input is not sent, what is unexpected is unknown, and a failure stays what it is', () => {
	const failure = inputFailure('No', 'Correct it.');
	expect(failure).toMatchObject({ outcome: 'notSent', origin: 'input', transient: false });
	expect(asFailure(failure, about)).toBe(failure);
	expect(asFailure('odd', about)).toMatchObject({ outcome: 'unknown', origin: 'n8n' });
});
