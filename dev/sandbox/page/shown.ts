import type { Posted } from '../callbacks';
import { refusals } from '../inventions';
import { nameOf } from '../menu';
import { isMessage, operations } from '../operations';
import type { RecordedRequest, State } from '../state';

/** The page shows no more calls than these. */
const LATEST = 200;
/** Long enough for most addresses. */
const LONGEST_TEXT = 1000;

/**
 * What the page shows: calls and callbacks, the newest first, and the misbehaviours that are still to
 * come.
 */
export function shownOf({ requests, callbacks: { posted }, plan }: State) {
	const calls = requests.filter(isCall);
	return {
		counts: {
			sent: calls.filter(isSent).length,
			given: calls.filter(({ answer }) => answer?.gave).length,
			called: posted.length,
			failures: [...calls, ...posted].filter(({ answer }) => answer?.isFailure).length,
		},
		shown: [
			...calls.slice(-LATEST).map(callShown),
			...posted.slice(-LATEST).map(postedShown),
		].reverse(),
		waiting: plan.waiting.map(({ told, ...rest }) => ({ name: nameOf(told), ...rest })),
	};
}

/** A call as the page shows it, without keys and other secrets. */
function callShown(call: RecordedRequest) {
	const { at, name, method, url, body, isAccepted, answer } = call;
	const fields = operationOf(call)?.fields.filter(({ isSecret }) => !isSecret) ?? [];
	const names = isAccepted ? ['instance_guid', ...fields.map((field) => field.name)] : [];
	return {
		at,
		name: name ?? short(`${method} ${url.split('?')[0]}`),
		toId: short(body?.toId),
		place: isSent(call) ? 'messages' : 'others',
		fields: Object.fromEntries(names.map((field) => [field, short(body?.[field])])),
		answer: {
			...answer,
			message: short(answer?.message),
			told: answer?.told && nameOf(answer.told),
		},
	};
}

function postedShown({ kind, url, body, ...posted }: Posted) {
	const fields = { body: short(JSON.stringify(body)) };
	return { ...posted, name: kind, toId: short(url), place: 'posted', fields };
}

function operationOf({ method, url }: RecordedRequest) {
	return operations.find(({ path }) => method === 'POST' && path === url.split('?')[0]);
}

/** Whether a message was accepted, whatever the answer. */
function isSent(call: RecordedRequest): boolean {
	const operation = operationOf(call);
	return call.isAccepted && operation !== undefined && isMessage(operation);
}

/**
 * A browser that asks for an icon, say, is no caller; the sandbox's own orders are no calls; and of
 * links to files, only failures are shown.
 */
function isCall(request: RecordedRequest): boolean {
	const { url, method, name, answer } = request;
	if (!answer || url.startsWith('/sandbox/')) return false;
	if (operationOf(request)) return !isPassedTest(request);
	return answer.isFailure && (method === 'POST' || name !== undefined);
}

/** The test of a credential calls without fields, on purpose: it passed if only these are missing. */
function isPassedTest({ body, answer }: RecordedRequest): boolean {
	return !answer?.told && answer?.code === refusals.badFields.code && JSON.stringify(body) === '{}';
}

/** Empty for anything but texts and numbers, such as a recipient that is an object. */
function short(value: unknown): string {
	if (typeof value === 'number') return String(value);
	if (typeof value !== 'string') return '';
	return value.length > LONGEST_TEXT ? `${value.slice(0, LONGEST_TEXT)}…` : value;
}
