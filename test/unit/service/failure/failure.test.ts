import {
	Failure,
	inputFailure,
	requestFailure,
	toFailure,
} from '../../../../nodes/Workchat/service/failure/failure';
import { about } from '../../../support/about';

const OPTIONS = { outcome: 'rejected', origin: 'service', advice: 'Wait.' } as const;

test.each([
	[{}, ''],
	[{ httpStatus: 299 }, ''],
	[{ httpStatus: 300 }, ' (HTTP 300)'],
	[{ code: 0 }, ' (code 0)'],
	[{ code: 7, httpStatus: 400, request_id: 'svc_1' }, ' (code 7, HTTP 400, request ID svc_1)'],
])('an error shows the facts %j in brackets after its sentence', (facts, suffix) => {
	const failure = new Failure('It failed', { ...OPTIONS, ...facts });
	expect(failure).toMatchObject({ message: `It failed${suffix}`, problem: 'It failed' });
	expect(failure.details).toEqual(facts);
});

test('all texts of a failure are redacted and have a maximum length', () => {
	const secretive = { ...about, secrets: ['fake-key'], toId: 'a fake-key' };
	const asked = { ...secretive, request_id: 'svc_fake-key' };
	const failure = requestFailure(asked, `fake-key ${'x'.repeat(1e5)}`, OPTIONS);
	expect(failure.details).toEqual({ toId: 'a ***', request_id: 'svc_***' });
	expect(failure.message).toMatch(/^The service \*\*\* x+… \(request ID svc_\*\*\*\)$/);
	expect(failure.problem).toHaveLength(1501);
	const long = requestFailure({ ...secretive, request_id: 'x'.repeat(1e5) }, 'failed', OPTIONS);
	expect(long.details.request_id).toHaveLength(201);
	expect(inputFailure('has fake-key', '', secretive).message).toBe('has ***');
	expect(toFailure(new Error('of fake-key'), secretive).message).toMatch(/happened: of \*\*\*$/);
});

test('invalid input is `notSent`, an unexpected error is `unknown`, and a failure stays the same', () => {
	const failure = inputFailure('No', 'Correct it.');
	expect(failure).toMatchObject({ outcome: 'notSent', origin: 'input', transient: false });
	expect(toFailure(failure, about)).toBe(failure);
	expect(toFailure('odd', about)).toMatchObject({ outcome: 'unknown', origin: 'n8n' });
});
