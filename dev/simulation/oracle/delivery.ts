import { isDry, messageOf, MOST_NODE_TRIES, type Plan } from '../plan';
import {
	groupsOf,
	hasLapses,
	isDisturbed,
	isSideBySide,
	rowsOf,
	told,
	wasCutOff,
	type Invariant,
	type Seen,
} from './observed';

/** What reaches the service: how often, in which order, and until when. */

/** Milliseconds, with what n8n's memory does not answer at the end of a run: by then the stop is not heard. */
const PROMPTLY = 4500;
/** Until the service notices that the client closed a connection. */
const NOTICED = 200;

export const deliveredOnce: Invariant = (observed) => {
	const { plan, seen } = observed;
	const resends = (run: number) => plan.runs[run]?.options.resendUnknown === true;
	const isKnown = (earlier: Seen, { run }: Seen) => {
		const { outcome } = earlier;
		const isFinal = outcome === 'sent' || (!resends(run) && outcome === 'unknown');
		// What is being sent elsewhere reads as unknown, too.
		const mayResend = resends(earlier.run) || resends(run);
		const mayNotKnow = wasCutOff(observed, earlier.run) || isSideBySide(observed, earlier.run, run);
		return isFinal && !(mayResend && mayNotKnow);
	};
	return groupsOf(seen, ({ item, run }) => messageOf(plan, item, run)).flatMap((requests) => {
		const repeat = requests.find((request, index) => {
			const known = requests.slice(0, index).filter((earlier) => isKnown(earlier, request));
			return known.length >= timesWanted(plan, request);
		});
		if (!repeat) return [];
		const accepted = requests.filter((request) => request.accepted).length;
		const what = accepted > 1 ? `delivered ${accepted} times` : 'asked for again';
		return [`${what}: ${told(repeat.item, requests)}`];
	});
};

/** What is shown instead of sent, and nothing else, is neither sent nor said to be. */
export const dryStaysDry: Invariant = (observed) => {
	const { plan, seen, executions } = observed;
	const isDryItem = (item: number, run: number) => isDry(plan, plan.inputs.indexOf(item), run);
	const sent = seen.filter(({ item, run }) => isDryItem(item, run));
	const falselyDry = executions.flatMap(({ run, reports }) =>
		reports.filter(({ input, outcome }) => outcome === 'dry' && !isDry(plan, input, run)),
	);
	// Where a run is dry by the item, what an earlier try sent comes out as that.
	const falselyDone = executions
		.filter(({ run }) => plan.runs[run]?.options.dryRun === true)
		.flatMap(({ reports }) => reports.filter(({ outcome }) => outcome !== 'dry'));
	return [
		...sent.map(({ item, run }) => `item ${item} was sent in the dry run ${run}`),
		...falselyDry.map(({ input }) => `input ${input} was shown, and is to be sent`),
		...falselyDone.map(({ input, outcome }) => `input ${input} is ${outcome} in a dry run`),
	];
};

/** How often a message is to be sent: as often as it stands in the list, with a key once. */
function timesWanted(plan: Plan, { item, run }: Seen): number {
	return plan.runs[run]?.options.sendOnceKey === undefined ? rowsOf(plan, item, run) : 1;
}

export const inOrder: Invariant = (observed) => {
	const { plan, seen, executions } = observed;
	// What another execution had claimed when its turn came, is sent when n8n runs the node again.
	const mayWait = executions.some(({ run }) =>
		executions.some((other) => isSideBySide(observed, run, other.run)),
	);
	const mayComeLater =
		(plan.retryOnFail && mayWait) ||
		hasLapses(observed) ||
		executions.some(({ run }) => isDisturbed(observed, run));
	// Several executions know nothing of each other's order.
	const lanes = groupsOf(seen, ({ item, run }) => `${plan.items[item]?.toId} ${run}`);
	return lanes.flatMap((requests) => {
		// Of what stands there twice, the first may have been sent before.
		const firsts = [...new Set(requests.map(({ item }) => item))].filter(
			(item) => timesIn(plan.inputs, item) === 1,
		);
		const places = firsts.map((item) => plan.inputs.indexOf(item));
		const isSorted =
			mayComeLater ||
			places.every((place, index) => index === 0 || place > (places[index - 1] ?? 0));
		const overlapping = requests.filter((next, index) => {
			const before = requests[index - 1];
			if (!before) return false;
			const overlap = (before.endedAt ?? Infinity) - next.startedAt;
			return overlap > (before.endedBy === 'client' ? NOTICED : 0);
		});
		return [
			...(isSorted ? [] : [`items ${firsts.join()} of one recipient in this order`]),
			...overlapping.map(({ item }) => `item ${item} while another of its recipient was under way`),
		];
	});
};

export const fewEnoughTries: Invariant = (observed) => {
	const { plan, seen, executions } = observed;
	return executions.flatMap(({ run }) => {
		// A request that was given up at once may come as late as in the next run.
		if (isDisturbed(observed, run) || isDisturbed(observed, run - 1)) return [];
		const { maxTries = 1 } = plan.runs[run]?.options ?? {};
		const most = maxTries * (plan.retryOnFail ? MOST_NODE_TRIES : 1);
		return plan.items.flatMap((_item, item) => {
			const wanted = most * timesIn(plan.inputs, item);
			const tries = seen.filter((request) => request.run === run && request.item === item).length;
			return tries > wanted ? [`item ${item} was tried ${tries} times instead of ${wanted}`] : [];
		});
	});
};

function timesIn(inputs: number[], item: number): number {
	return inputs.filter((input) => input === item).length;
}

export const stopsWhenCancelled: Invariant = ({ plan, seen, executions }) =>
	executions.flatMap(({ run, cancelledAt, endedAt = Infinity, standstills }) => {
		if (cancelledAt === undefined) return [];
		const after = seen.filter(
			(request) => request.run === run && request.startedAt > cancelledAt,
		).length;
		// These were on their way, unseen by the service.
		const most = plan.runs[run]?.options.maxConcurrency ?? 1;
		const took = endedAt - cancelledAt;
		return [
			...(after > most ? [`${after} requests came after it was cancelled`] : []),
			...(took > PROMPTLY + standstills
				? [`took ${Math.round(took)} ms to end when it was cancelled`]
				: []),
		];
	});

/** With On Error = Stop, nothing new is begun after a failure; what others were at goes on. */
export const stopsAtFailure: Invariant = ({ plan, seen, executions }) => {
	if (plan.retryOnFail) return [];
	return executions.flatMap(({ run, thrown }) => {
		const { onError, options } = plan.runs[run] ?? {};
		const requests = seen.filter((request) => request.run === run);
		const failing = plan.inputs[thrown?.input ?? NaN];
		const tries = requests.filter(({ item }) => item === failing);
		const failed = tries.at(-1);
		// One that may be tried again has not failed yet.
		const isOver = failed?.endedBy === 'service' && tries.length >= (options?.maxTries ?? 1);
		// Of what stands there twice, the other one may have been sent.
		const hasFailed = isOver && failed.outcome !== 'sent';
		if (onError !== 'stopWorkflow' || !options || !hasFailed) return [];
		const begun = groupsOf(requests, ({ item }) => messageOf(plan, item, run));
		const failedAt = failed.endedAt ?? Infinity;
		const after = begun.filter(([first]) => first && first.startedAt > failedAt);
		const others = options.maxConcurrency - 1;
		return after.length > 2 * others
			? [`${after.length} items were begun after item ${failed.item} had failed`]
			: [];
	});
};
