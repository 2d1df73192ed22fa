import type { Posted } from '../callbacks';
import { refusals } from '../inventions';
import { nameOf } from '../menu';
import { isMessage, operations } from '../operations';
import type { RecordedRequest, State } from '../state';

/** The page shows so many calls at most. */
const LATEST = 200;
/** Characters; most URLs are shorter. */
const LONGEST_TEXT = 1000;

/** The content of the page: calls and callbacks, the newest first, and the planned misbehaviours. */
export function shownOf({ requests, callbacks: { posted }, plan }: State) {
	const calls = requests.filter(isCall);
	return {
		counts: {
			sent: calls.filter(isSent).length,
			given: calls.filter(({ answer }) => answer?.file).length,
			called: posted.length,
			failures: [...calls, ...posted].filter(({ answer }) => answer?.isFailure).length,
		},
		shown: [
			...calls.slice(-LATEST).map(callShown),
			...posted.slice(-LATEST).map(postedShown),
		].reverse(),
		waiting: plan.waiting.map(({ misbehaviour, ...rest }) => {
			return { name: nameOf(misbehaviour), ...rest };
		}),
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
			simulated: answer?.simulated && nameOf(answer.simulated),
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

/** Whether it is a message that the sandbox accepted. Its response may still have failed. */
function isSent(call: RecordedRequest): boolean {
	const operation = operationOf(call);
	return call.isAccepted && operation !== undefined && isMessage(operation);
}

/**
 * Whether the page shows a request as a call: not a browser's request for an icon, not an order to the
 * sandbox itself, and of links to files only failures.
 */
function isCall(request: RecordedRequest): boolean {
	const { url, method, name, answer } = request;
	if (!answer || url.startsWith('/sandbox/')) return false;
	if (operationOf(request)) return !isPassedTest(request);
	return answer.isFailure && (method === 'POST' || name !== undefined);
}

/** Whether it is n8n's test of a credential, which passes: it deliberately sends no fields. */
function isPassedTest({ body, answer }: RecordedRequest): boolean {
	return (
		!answer?.simulated && answer?.code === refusals.badFields.code && JSON.stringify(body) === '{}'
	);
}

/** A text or a number, shortened. Empty for other values, such as a recipient that is an object. */
function short(value: unknown): string {
	if (typeof value === 'number') return String(value);
	if (typeof value !== 'string') return '';
	return value.length > LONGEST_TEXT ? `${value.slice(0, LONGEST_TEXT)}…` : value;
}
