import { editionIn, settingsIn } from './case';
import { groupsOf, isDisturbed, isOnly, messagesOf, told, type Invariant } from './observed';
import type { Seen } from './standIn';

/** What reaches the service: how often, in which order, and until when. */

/** Milliseconds. */
const PROMPTLY = 1500;
/** Until the service notices that the client closed a connection. */
const NOTICED = 200;

export const deliveredOnce: Invariant = (observed) => {
	if (observed.given.kind === 'download') return [];
	return messagesOf(observed).flatMap((message) => {
		const { given } = observed;
		const { requests } = message;
		const repeat = requests.find((request, index) => {
			const before = requests.slice(0, index);
			const { resendUnknown } = settingsIn(given, request.run);
			const wasSent = before.some((earlier) => isOnly(earlier, 'sent'));
			const wasUnknown = before.some((earlier) => isOnly(earlier, 'unknown'));
			const mayHaveTimedOut = resendUnknown && before.some(({ run }) => isDisturbed(observed, run));
			return (wasSent && !mayHaveTimedOut) || (wasUnknown && !resendUnknown);
		});
		if (!repeat) return [];
		const accepted = requests.filter(({ step }) => step.accepted).length;
		return [
			`${accepted > 1 ? `delivered ${accepted} times` : 'asked for again'}: ${told(message)}`,
		];
	});
};

export const inOrder: Invariant = (observed) => {
	const { given, seen, executions } = observed;
	if (given.kind !== 'send') return [];
	// What did not even leave within a short Timeout comes when n8n runs the node again.
	const wasDisturbed = executions.some((_, run) => isDisturbed(observed, run));
	const recipientOf = ({ item }: Seen) => given.items[item]?.toId ?? '';
	const lanes = groupsOf(
		seen,
		(request) => `${recipientOf(request)} ${editionIn(given, request.run)}`,
	);
	return lanes.flatMap((requests) => {
		const firsts = [...new Set(requests.map(({ item }) => item))];
		// What could not be read at first comes later.
		const isSorted =
			given.mayComeOutEmpty ||
			wasDisturbed ||
			firsts.every((item, index) => index === 0 || item > (firsts[index - 1] ?? 0));
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
	const { given, seen, executions } = observed;
	return executions.flatMap((_, run) => {
		// A request that was given up at once may come as late as in the next run.
		if (isDisturbed(observed, run) || isDisturbed(observed, run - 1)) return [];
		const nodeTries = given.retryOnFail ? given.maxNodeTries : 1;
		const calls = given.kind === 'tool' ? given.inputs.length : 1;
		const most = settingsIn(given, run).maxTries * nodeTries * calls;
		return given.items.flatMap((_item, item) => {
			const tries = seen.filter(
				(request) => request.run === run && request.item === item && !request.isLink,
			).length;
			return tries > most ? [`item ${item} was tried ${tries} times instead of ${most}`] : [];
		});
	});
};

export const stopsWhenCancelled: Invariant = ({ given, seen, executions }) =>
	executions.flatMap(({ cancelledAt, tookToCancel = 0, standstills }, run) => {
		if (cancelledAt === undefined) return [];
		const after = seen.filter((request) => request.startedAt > cancelledAt).length;
		// These were on their way, unseen by the service.
		const most = settingsIn(given, run).maxConcurrency - (given.cancelling?.delay === 0 ? 1 : 0);
		return [
			...(after > most ? [`${after} requests came after it was cancelled`] : []),
			...(tookToCancel > PROMPTLY + standstills
				? [`took ${Math.round(tookToCancel)} ms to end when it was cancelled`]
				: []),
		];
	});

/** With On Error = Stop, nothing new is begun after a failure; what others were at goes on. */
export const stopsAtFailure: Invariant = ({ given, seen, executions }) => {
	if (given.kind !== 'send' || given.onError !== 'stopWorkflow' || given.retryOnFail) return [];
	return executions.flatMap(({ thrown }, run) => {
		const requests = seen.filter((request) => request.run === run);
		const tries = requests.filter(({ item }) => item === thrown?.input);
		const failed = tries.at(-1);
		// One that may be tried again has not failed yet.
		if (failed?.endedBy !== 'service' || tries.length < settingsIn(given, run).maxTries) return [];
		const begun = groupsOf(requests, ({ item }) => String(item)).map(([first]) => first);
		const after = begun.filter((first) => first && first.startedAt > (failed.endedAt ?? Infinity));
		const others = settingsIn(given, run).maxConcurrency - 1;
		return after.length > 2 * others
			? [`${after.length} items were begun after item ${failed.item} had failed`]
			: [];
	});
};
