import type { Execution, Invariant, Report } from './observed';

/** What comes out of the node. */

const LONGEST_ERROR = 3000;

const isFailed = ({ outcome }: Report) => !['sent', 'skipped', 'dry'].includes(outcome);

export const completeOutput: Invariant = ({ plan, executions }) =>
	executions.flatMap(({ run, status, reports, thrown, cancelledAt, endedAt }) => {
		const isStopped = plan.runs[run]?.onError === 'stopWorkflow';
		if (endedAt === undefined || status === 'crashed') return [];
		if (cancelledAt !== undefined) {
			return status === 'canceled' ? [] : [`a cancelled run has the status ${status}`];
		}
		if (thrown) return wrongError(isStopped, thrown);
		if (status !== 'success') return [`the run ended with the status ${status}`];
		if (isStopped && reports.some(isFailed)) return ['items failed, but the run went on'];
		const due = [...plan.inputs.keys()].join();
		const came = reports.map(({ input }) => input).join();
		return came === due ? [] : [`the output has the inputs ${came}, not ${due}`];
	});

function wrongError(isDue: boolean, { name, message, input }: NonNullable<Execution['thrown']>) {
	if (!isDue) return [`thrown: ${message}`];
	const isOurs = (name === 'NodeApiError' || name === 'NodeOperationError') && input !== undefined;
	return isOurs ? [] : [`an error that is not the node's own: ${name}: ${message}`];
}

const SLIP = /Something unexpected|is not a function|Cannot read|Maximum call stack|URI malformed/;

export const nothingUnexpected: Invariant = ({ executions }) =>
	executions.flatMap(({ thrown, reports }) =>
		[thrown?.message ?? '', ...reports.map(({ text }) => text)].filter((text) => SLIP.test(text)),
	);

/** However many items failed, the words in an error are few. */
export const briefErrors: Invariant = ({ executions }) =>
	executions.flatMap(({ thrown, reports }) => {
		const { message = '', description = '' } = thrown ?? {};
		const failed = reports.filter(isFailed).map(({ length }) => length);
		return [message.length + description.length, ...failed]
			.filter((length) => length > LONGEST_ERROR)
			.map((length) => `an error of ${length} characters`);
	});
