import type { Execution, Invariant, Report } from './observed';

/** What comes out of the node, and what n8n saves of it. */

const LONGEST_ERROR = 3000;

const isFailed = ({ outcome }: Report) => outcome !== 'sent' && outcome !== 'skipped';

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
		const breaches = [0, 1].flatMap((output) => {
			const inputs = reports.filter((report) => report.output === output).map(({ input }) => input);
			const sorted = [...inputs].sort((a, b) => a - b);
			return inputs.join() === sorted.join() ? [] : [`output ${output} has ${inputs.join()}`];
		});
		const missing = plan.inputs.flatMap((_, input) => {
			const count = reports.filter((report) => report.input === input).length;
			return count === 1 ? [] : [`input ${input} came out ${count} times`];
		});
		const wrongOutput = reports.filter(
			(report) => report.output !== (isFailed(report) && onError === 'continueErrorOutput' ? 1 : 0),
		);
		return [
			...breaches,
			...missing,
			...wrongOutput.map(({ input, output }) => `input ${input} came out of output ${output}`),
		];
	});

function wrongError(isDue: boolean, { name, message, input }: NonNullable<Execution['thrown']>) {
	if (!isDue) return [`thrown: ${message}`];
	const isOurs = (name === 'NodeApiError' || name === 'NodeOperationError') && input !== undefined;
	return isOurs ? [] : [`an error that is not the node's own: ${name}: ${message}`];
}

export const nothingUnexpected: Invariant = ({ executions }) =>
	executions.flatMap(({ thrown, reports }) =>
		[thrown?.message ?? '', ...reports.map(({ text }) => text)].filter((text) =>
			/Something unexpected|is not a function|Cannot read|Maximum call stack|URI malformed/.test(
				text,
			),
		),
	);

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
	executions.flatMap(({ told: words, thrown, reports }) =>
		words.length === 0
			? []
			: [`told ${words.join(', ')}: ${thrown?.message ?? reports.map(({ text }) => text).join()}`],
	);

export const keyStaysHome: Invariant = ({ seen }) =>
	seen.flatMap(({ isLink, hasKey, item }) => {
		if (isLink && hasKey) return [`the key went to the link of item ${item}`];
		return !isLink && !hasKey ? [`a request of item ${item} had no key`] : [];
	});
