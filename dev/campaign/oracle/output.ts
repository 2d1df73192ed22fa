import type { Execution, Invariant, Report } from './observed';

/** What comes out of the node, and what n8n saves of it. */

const LONGEST_ERROR = 3000;

const isFailed = ({ outcome }: Report) => !['sent', 'skipped', 'dry'].includes(outcome);

export const completeOutput: Invariant = ({ plan, executions }) =>
	executions.flatMap(({ run, status, reports, thrown, cancelledAt, endedAt }) => {
		const { onError = 'stopWorkflow' } = plan.runs[run] ?? {};
		if (endedAt === undefined || status === 'crashed') return [];
		if (cancelledAt !== undefined) {
			return status === 'canceled' ? [] : [`a cancelled run has the status ${status}`];
		}
		const isStopped = onError === 'stopWorkflow' || plan.kind === 'tool';
		if (thrown) return wrongError(isStopped, thrown);
		if (status !== 'success') return [`the run ended with the status ${status}`];
		if (onError === 'stopWorkflow' && plan.kind !== 'tool' && reports.some(isFailed)) {
			return ['items failed, but the run went on'];
		}
		const mayFail = onError === 'continueErrorOutput';
		const outputOf = (input: number) =>
			mayFail && reports.some((report) => report.input === input && isFailed(report)) ? 1 : 0;
		const inputs = [...plan.inputs.keys()];
		return [0, 1].flatMap((output) => {
			const due = inputs.filter((input) => outputOf(input) === output).join();
			const came = reports.filter((report) => report.output === output).map(({ input }) => input);
			return came.join() === due
				? []
				: [`output ${output} has the inputs ${came.join()}, not ${due}`];
		});
	});

function wrongError(isDue: boolean, { name, message, input }: NonNullable<Execution['thrown']>) {
	if (!isDue) return [`thrown: ${message}`];
	const isOurs = (name === 'NodeApiError' || name === 'NodeOperationError') && input !== undefined;
	return isOurs ? [] : [`an error that is not the node's own: ${name}: ${message}`];
}

const SLIP = /Something unexpected|is not a function|Cannot read|Maximum call stack|URI malformed/;

const textsOf = ({ thrown, reports }: Execution) => [
	thrown?.message ?? '',
	...reports.map(({ text }) => text),
];

export const nothingUnexpected: Invariant = ({ executions }) =>
	executions.flatMap((execution) => textsOf(execution).filter((text) => SLIP.test(text)));

/** Whatever the service says, its words in an error are few. */
export const briefErrors: Invariant = ({ executions }) =>
	executions.flatMap(({ thrown, reports }) => {
		const failed = reports.filter(isFailed);
		const { message = '', description = '' } = thrown ?? {};
		const lengths = [message.length + description.length, ...failed.map(({ length }) => length)];
		return lengths
			.filter((length) => length > LONGEST_ERROR)
			.map((length) => `an error of ${length} characters`);
	});

export const secretsKept: Invariant = ({ executions }) =>
	executions
		.filter(({ told }) => told.length > 0)
		.map((execution) => `told ${execution.told.join(', ')}: ${textsOf(execution).join()}`);

export const keyStaysHome: Invariant = ({ seen }) =>
	seen.flatMap(({ isLink, hasKey, item }) => {
		if (isLink && hasKey) return [`the key went to the link of item ${item}`];
		return !isLink && !hasKey ? [`a request of item ${item} had no key`] : [];
	});
