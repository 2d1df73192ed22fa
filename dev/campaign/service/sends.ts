import type { Draw } from '../draw';
import { OF_A_MESSAGE, SECRETS, tellingPath, tellingText } from './secrets';
import {
	answer,
	DONE,
	envelope,
	HANGING,
	JSON_HEADERS,
	PAGE,
	REFUSED,
	type Ending,
	type EnvelopeFields,
	type Outcome,
	type Step,
} from './step';

/** What a service may do with a message: everything that is known to have broken a client, and more. */

/** @param known secrets that the service can repeat */
type Maker = (draw: Draw, known: string[]) => Step;

const DEEP = 500;
const HOSTILE_DATA: string[] = [
	'{"$error":null,"$json":{}}',
	'{"$error":{"message":"no"},"$json":{"a":1}}',
	'{"error":"no"}',
	'{"error":{"outcome":"rejected","message":"no"}}',
	'{"error":"","message":"no"}',
	'{"json":{"a":1},"binary":{"data":{"data":"AA==","mimeType":"text/plain"}},"pairedItem":7}',
	'{"__proto__":{"isPolluted":true},"constructor":{"prototype":{"isPolluted":true}}}',
	'{"toString":1,"valueOf":null,"hasOwnProperty":false,"length":-1}',
	'{"":"","\\u0000":"\\ud83d"}',
	`${'['.repeat(DEEP)}${']'.repeat(DEEP)}`,
	`${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`,
	`"${'no! '.repeat(25_000)}"`,
	'[1,[2,[3]],null]',
	'[]',
	'"text"',
	'""',
	'0',
	'false',
];
/** n8n takes an item with such a key for failed, or does not. */
const ERROR_KEYS = ['""', '0', 'null', 'false', '{}', '[]', '{"message":"no"}', '"no"', 'true'];

const ODD_REQUEST_IDS = [
	'{"toString":1}',
	'{}',
	'[]',
	'null',
	'7',
	'""',
	undefined,
	JSON.stringify(`svc_${'x'.repeat(20_000)}`),
	JSON.stringify('svc_\u202e\u0000\n'),
];

function success(label: string, fields: EnvelopeFields, more?: Partial<Step>): Step {
	return answer(label, ['sent'], { body: envelope({ ...DONE, ...fields }), ...more });
}

const plain = success('ok', { data: '{}' });

const successes: Array<readonly [number, Maker]> = [
	[6, () => plain],
	[3, (draw) => ({ ...plain, label: 'slow', delay: draw.integer(3, 40) })],
	[1, () => success('ok without ok', { ok: undefined })],
	[3, (draw) => success('ok with error', { error: draw.pick(ERROR_KEYS) })],
	[3, (draw) => success('ok with hostile data', { data: draw.pick(HOSTILE_DATA) })],
	[1, (draw) => success('ok with odd request_id', { request_id: draw.pick(ODD_REQUEST_IDS) })],
	[1, () => ({ ...plain, label: 'ok, trickling', ending: 'trickle' })],
	[1, () => ({ ...plain, label: 'ok as text', headers: {} })],
];

function requestId(draw: Draw, known: string[]): string | undefined {
	const isTelling = draw.chance(0.4);
	return isTelling ? JSON.stringify(`svc_${tellingText(draw, known)}`) : draw.pick(ODD_REQUEST_IDS);
}

function hostileMessage(draw: Draw, known: string[]): string {
	return draw.weighted<() => string>([
		[12, () => JSON.stringify(tellingText(draw, known))],
		[0.05, () => JSON.stringify('http://'.repeat(30_000))],
		[0.05, () => JSON.stringify(`https://${'a'.repeat(100_000)}?x`)],
		[0.1, () => JSON.stringify('no '.repeat(100_000))],
		[2, () => JSON.stringify('<b>canceled</b>\u0000\u202e')],
		[1, () => '"\\ud83d"'],
		[1, () => '{"toString":1}'],
		[1, () => 'null'],
	])();
}

/** The fields of an envelope that says no. */
function refusalFields(draw: Draw, known: string[]): EnvelopeFields {
	return {
		ok: draw.pick(['false', 'false', undefined]),
		code: draw.pick(['1', '7', '-1', '40001', '2147483648']),
		message: draw.chance(0.7) ? hostileMessage(draw, known) : '"no"',
		request_id: draw.chance(0.3) ? requestId(draw, known) : '"svc_campaign"',
		...(draw.chance(0.1) && { error: draw.pick(ERROR_KEYS) }),
		...(draw.chance(0.1) && { data: draw.pick(HOSTILE_DATA) }),
	};
}

const refusal: Maker = (draw, known) =>
	answer('refused', ['rejected'], {
		status: draw.pick([200, 200, 200, 201, 202]),
		body: envelope(refusalFields(draw, known)),
	});

const FAILURE_STATUSES = [400, 401, 403, 404, 408, 429, 500, 502, 503, 504];
type Says = 'code other than 0' | 'code 0' | 'nothing' | 'a page';

function outcomesOf(status: number, says: Says): Outcome[] {
	if (status === 429) return ['rejected'];
	if (status === 408 || status === 503) {
		return [says === 'code other than 0' ? 'rejected' : 'unknown'];
	}
	if (status >= 500) return ['unknown'];
	// Code 0 with a failure status contradicts itself.
	return says === 'code 0' ? ['rejected', 'unknown'] : ['rejected'];
}

const failureStatus: Maker = (draw, known) => {
	const status = draw.pick(FAILURE_STATUSES);
	const [says, bodyOf] = draw.pick<[Says, () => string]>([
		['code other than 0', () => envelope(refusalFields(draw, known))],
		['code other than 0', () => envelope(refusalFields(draw, known))],
		['code 0', () => envelope({ ...DONE, message: hostileMessage(draw, known) })],
		['nothing', () => draw.pick(['', '{"message":"no"}', '[]', 'upstream error'])],
		['a page', () => draw.pick([PAGE, `<p>${tellingText(draw, known)}</p>`])],
	]);
	const outcomes = outcomesOf(status, says);
	const type = says === 'a page' ? { 'content-type': 'text/html' } : JSON_HEADERS;
	return answer(`HTTP ${status}, ${says}`, outcomes, {
		accepted: outcomes[0] === 'unknown' && draw.chance(0.5),
		status,
		headers: { ...type, ...retryAfter(draw) },
		body: bodyOf(),
	});
};

/** Mostly at once: waiting is not what takes the campaign's time. */
function retryAfter(draw: Draw): Record<string, string> {
	const odd = ['soon', '-1', 'Thu, 01 Jan 1970 00:00:00 GMT', undefined];
	const value = draw.chance(0.8) ? '0' : draw.pick(odd);
	return value === undefined ? {} : { 'retry-after': value };
}

const redirect: Maker = (draw, known) => {
	const path = tellingPath(draw, known);
	const location = draw.pick([
		`https://example.com/${path}/next`,
		`https://example.com/next?key=${path}#${path}`,
		`https://user:${path}@example.com/`,
		`/next/${path}`,
		`next?${path}`,
		`//example.com/${path}`,
		`https://example.com/${'x'.repeat(12_000)}`,
		'https://[',
		undefined,
	]);
	return open('redirect', draw, {
		status: draw.pick([300, 301, 302, 303, 304, 307, 308]),
		headers: location ? { location } : {},
	});
};

/** What leaves open whether the message was delivered. */
function open(label: string, draw: Draw, more: Partial<Step>): Step {
	return answer(label, ['unknown'], { accepted: draw.chance(0.6), ...more });
}

const brokenOff =
	(ending: Ending): Maker =>
	(draw) =>
		open(ending, draw, { body: plain.body, ending });

const NO_ENVELOPES = [
	'',
	' ',
	'null',
	'[]',
	'"done"',
	'{}',
	'{"ok":true}',
	'{"ok":true,"code":"0"}',
	'{"ok":true,"code":0.5}',
	'{"ok":true,"code":null}',
	'{"ok":true,"code":0',
	'{"ok":true,"code":0}}',
	PAGE,
	`<p>${SECRETS.apiKey}</p>`,
	'<'.repeat(100_000),
];
const noEnvelope: Maker = (draw) =>
	open('no envelope', draw, {
		status: draw.pick([200, 200, 200, 204]),
		headers: draw.pick([JSON_HEADERS, { 'content-type': 'text/html' }, {}]),
		body: draw.pick(NO_ENVELOPES),
	});

const contradiction: Maker = (draw, known) => {
	const status = draw.pick([200, 400, 404, 503]);
	const fields = draw.chance(0.5)
		? { ...refusalFields(draw, known), ok: 'true' }
		: {
				...DONE,
				ok: draw.pick(['false', 'null', '"yes"', '0']),
				message: hostileMessage(draw, known),
			};
	return open('code and ok contradict each other', draw, { status, body: envelope(fields) });
};

const troubles: Array<readonly [number, Maker]> = [
	[20, failureStatus],
	[10, refusal],
	[6, noEnvelope],
	[4, redirect],
	[3, contradiction],
	[6, brokenOff('drop')],
	[2, brokenOff('dropAfterHead')],
	[3, brokenOff('half')],
	[2, brokenOff('garbage')],
	[0.4, brokenOff('bomb')],
];

/** Without surprises: what matters is only whether it was done, and whether the node can know. */
const body = envelope(REFUSED);
const plainTroubles: Array<readonly [number, Maker]> = [
	[3, () => answer('refused', ['rejected'], { body })],
	[3, () => answer('busy', ['rejected'], { status: 429, body })],
	[2, brokenOff('drop')],
	[1, brokenOff('half')],
	[1, brokenOff('silent')],
	[1, (draw) => open('HTTP 502', draw, { status: 502 })],
];

export const sends = {
	plain,
	plainTrouble: (draw: Draw) => draw.weighted(plainTroubles)(draw, OF_A_MESSAGE),
	success: (draw: Draw) => draw.weighted(successes)(draw, OF_A_MESSAGE),
	trouble: (draw: Draw, known = OF_A_MESSAGE) => draw.weighted(troubles)(draw, known),
	hanging: (draw: Draw) => brokenOff(draw.pick(HANGING))(draw, OF_A_MESSAGE),
	plainIntoTls: (draw: Draw) => brokenOff('plainIntoTls')(draw, OF_A_MESSAGE),
};
