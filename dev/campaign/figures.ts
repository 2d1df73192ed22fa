import type { Observed } from './oracle/observed';

/** What is counted, by name. */
export type Figures = Record<string, number>;

/** @returns how often by now */
export function count(figures: Figures, name: string, times = 1): number {
	return (figures[name] = (figures[name] ?? 0) + times);
}

export function figuresOf({ plan, seen, executions }: Observed): Figures {
	const figures: Figures = {};
	count(figures, `plans: ${plan.kind}${plan.runs[0]?.options.sendOnceKey ? ' with a key' : ''}`);
	count(figures, 'items', plan.inputs.length);
	count(figures, 'executions', executions.length);
	count(figures, 'requests', seen.length);
	if (plan.kind !== 'download') {
		count(figures, 'delivered messages', seen.filter(({ step }) => step.accepted).length);
	}
	for (const { run, status, reports, thrown } of executions) {
		if (plan.runs[run]?.retryOf !== undefined) count(figures, 'retried executions');
		for (const { outcome } of reports) count(figures, `outcome: ${outcome}`);
		if (thrown?.outcome) count(figures, `outcome: ${thrown.outcome}`);
		if (status !== 'success') count(figures, `executions: ${status}`);
	}
	return figures;
}
