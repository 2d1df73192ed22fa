import { isDeepStrictEqual } from 'node:util';

import type { Misbehaviour } from './misbehaviour';

const http = (status: number, more = {}): Misbehaviour => ({ kind: 'httpError', status, ...more });
const OF_GATEWAY = { hasEnvelope: false };

/**
 * What the node makes of a message after one try; whether it tries again by itself, and whether what
 * is in doubt has arrived. Links to files have none.
 */
type Outcome = 'sent' | 'rejected' | 'rejected, retried' | 'unknown' | 'unknown, arrives';

/** At least one of each kind. */
const rows: Array<[name: string, Outcome | undefined, Misbehaviour]> = [
	['Refuse', 'rejected', { kind: 'refuse', code: 12345, message: 'no' }],
	['Code 0, but not sent', 'unknown', { kind: 'notSent' }],
	['Refuse in msg', 'rejected', { kind: 'msg' }],
	['HTTP 400', 'rejected', http(400)],
	['HTTP 429, too fast', 'rejected, retried', http(429, { retryAfter: '2' })],
	['HTTP 500', 'unknown', http(500)],
	['HTTP 502 of a gateway', 'unknown', http(502, OF_GATEWAY)],
	['HTTP 503 with an envelope', 'rejected, retried', http(503)],
	['HTML page', 'unknown', { kind: 'html' }],
	['Empty body', 'unknown', { kind: 'empty' }],
	['Late by 5 s', 'sent', { kind: 'delay', milliseconds: 5000 }],
	['No response', 'unknown', { kind: 'hang' }],
	['Drop before reading', 'unknown', { kind: 'dropBeforeReading' }],
	['Drop after accepting', 'unknown, arrives', { kind: 'dropAfterAccepting' }],
	['Half a response', 'unknown, arrives', { kind: 'truncate' }],
	['Stall halfway', 'unknown, arrives', { kind: 'stall' }],
	['Expired link, HTTP 404', undefined, http(404, OF_GATEWAY)],
	['Expired link, HTTP 410', undefined, http(410, OF_GATEWAY)],
];

/** The misbehaviours to choose from. */
export const menu = rows.map(([name, outcome, told]) => {
	return { name, outcome, told, on: outcome ? undefined : ('file' as const) };
});

/** As the page calls it. */
export function nameOf(told: Misbehaviour): string {
	return menu.find((one) => isDeepStrictEqual(one.told, told))?.name ?? told.kind;
}
