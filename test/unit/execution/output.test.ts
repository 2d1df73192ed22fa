import type { IExecuteFunctions, NodeApiError, OnError } from 'n8n-workflow';

import { NodeOutput } from '../../../nodes/Workchat/execution/output';
import { Failure, type FailureOptions } from '../../../nodes/Workchat/service/failure/failure';

function outputWith(
	onError: OnError = 'stopWorkflow',
	type = 'workchat',
	isToolExecution = false,
	isRepeatable = false,
	mode = 'manual',
) {
	const context = {
		getNode: () => ({ type, onError, parameters: {} }),
		continueOnFail: () => onError !== 'stopWorkflow',
		isToolExecution: () => isToolExecution,
		getMode: () => mode,
	} as unknown as IExecuteFunctions;
	return new NodeOutput(context, { isRepeatable });
}

/** The summary of a run with one item. */
const ALONE = { others: '', nextStep: '' };

/** If an error has that word, n8n takes the execution for cancelled. */
test.each(['service', 'n8n'] as const)(
	'an error of %s never says "canceled", which n8n would take for a cancelled execution',
	(origin) => {
		const failure = new Failure('canceled: canceled', { outcome: 'unknown', origin, advice: '' });
		expect(outputWith().error(failure, 0, ALONE).message).toBe('cancelled: cancelled');
	},
);

/** In a Retry, an earlier execution may have sent it. An item without a recipient counts from 1. */
test.each<[string, object, boolean, string, string, string]>([
	[
		'rejected',
		{ toId: 'customer-1' },
		false,
		'trigger',
		'The message to customer-1 was not sent.',
		'',
	],
	['notSent', {}, false, 'manual', 'The message of item 2 was not sent.', ''],
	[
		'notSent',
		{ toId: 'customer-1' },
		false,
		'retry',
		'The message to customer-1 was not sent now.',
		'',
	],
	[
		'unknown',
		{ toId: 'customer-1' },
		false,
		'trigger',
		'The message to customer-1 may or may not have been sent.',
		'',
	],
	['rejected', {}, true, 'trigger', '', 'This is about item 2.'],
])('%s %j, isRepeatable %s, in the mode %s: an error says whether it was sent', (...given) => {
	const [outcome, about, isRepeatable, mode, said, other] = given;
	const options = { outcome, origin: 'service', advice: 'Do this.', ...about } as FailureOptions;
	const failure = new Failure('no', options);
	const output = outputWith('stopWorkflow', 'workchat', false, isRepeatable, mode);
	expect(output.error(failure, 1, ALONE)).toHaveProperty(
		'description',
		`${said || other} Do this.`,
	);
	const description = said ? `${said} Do this.` : 'Do this.';
	expect(output.errorItem(failure, 1, true)).toMatchObject({ json: { error: { description } } });
});

test('n8n shows the HTTP status of a failure as its HTTP code, and never the code of the service', () => {
	const httpCodeOf = (facts: object) => {
		const options = { outcome: 'rejected', origin: 'service', advice: '', code: 40001 } as const;
		return (
			outputWith().error(new Failure('no', { ...options, ...facts }), 0, ALONE) as NodeApiError
		).httpCode;
	};
	expect([httpCodeOf({ httpStatus: 400 }), httpCodeOf({})]).toEqual(['400', null]);
});

/** A model that cannot read a failure sends again: see `stopsOnError`. */
test.each<[string, OnError, string, boolean, boolean]>([
	['a node', 'stopWorkflow', 'workchat', false, true],
	['a node', 'continueRegularOutput', 'workchat', false, false],
	['a node', 'continueErrorOutput', 'workchat', false, false],
	['a tool of Agent 3', 'stopWorkflow', 'workchatTool', false, true],
	['a tool of Agent 3', 'continueRegularOutput', 'workchatTool', false, false],
	['a tool of Agent 3', 'continueErrorOutput', 'workchatTool', false, true],
	['a tool of Agent 2', 'stopWorkflow', 'workchat', true, false],
	['a tool of Agent 2', 'continueErrorOutput', 'workchat', true, false],
])(
	'a failure of %s with On Error %s reaches its user or model',
	(_, onError, type, isOfAgent2, isThrown) => {
		expect(outputWith(onError, type, isOfAgent2).stopsOnError).toBe(isThrown);
	},
);

test.each<[Failure['outcome'], boolean, string]>([
	['rejected', false, 'Wait.'],
	['unknown', false, 'The message may have been sent. Do not send it again: tell the user to'],
	['unknown', true, 'Wait.'],
])('about the outcome %s (repeatable: %s), a model reads: %s', (outcome, isRepeatable, advice) => {
	const output = outputWith('continueRegularOutput', 'workchatTool', false, isRepeatable);
	const failure = new Failure('It failed', { outcome, origin: 'service', advice: 'Wait.' });
	expect(output.errorItem(failure, 0, true).json.advice).toContain(advice);
});

test('the message of an error that a model reads has the advice, and the description repeats nothing', () => {
	const output = outputWith('stopWorkflow', 'workchatTool');
	const failure = new Failure('It failed', {
		outcome: 'rejected',
		origin: 'service',
		advice: 'Wait.',
	});
	const error = output.error(failure, 0, { others: '1 not tried', nextStep: 'Retry.' });
	expect(error).toMatchObject({ message: 'It failed. Wait.', description: null });
});
