import { isDeepStrictEqual } from 'node:util';

import type { Misbehaviour } from './misbehaviour';

/** A misbehaviour to choose. */
interface Choice {
	name: string;
	told: Misbehaviour;
	/** Only links to files suffer it. */
	on?: 'file';
	/**
	 * What the node makes of a message after one try; whether it tries again by itself, and whether
	 * what is in doubt has arrived.
	 */
	outcome?: 'sent' | 'rejected' | 'rejected, retried' | 'unknown' | 'unknown, arrives';
}

const http = (status: number, more = {}): Misbehaviour => ({ kind: 'httpError', status, ...more });
const OF_GATEWAY = { hasEnvelope: false };

/** At least one of each kind. */
export const menu: Choice[] = [
	{ name: 'Refuse', told: { kind: 'refuse', code: 12345, message: 'no' }, outcome: 'rejected' },
	{ name: 'Code 0, but not sent', told: { kind: 'notSent' }, outcome: 'unknown' },
	{ name: 'Refuse in msg', told: { kind: 'msg' }, outcome: 'rejected' },
	{ name: 'HTTP 400', told: http(400), outcome: 'rejected' },
	{
		name: 'HTTP 429, too fast',
		told: http(429, { retryAfter: '2' }),
		outcome: 'rejected, retried',
	},
	{ name: 'HTTP 500', told: http(500), outcome: 'unknown' },
	{ name: 'HTTP 502 of a gateway', told: http(502, OF_GATEWAY), outcome: 'unknown' },
	{ name: 'HTTP 503 with an envelope', told: http(503), outcome: 'rejected, retried' },
	{
		name: 'Redirect',
		told: { kind: 'redirect', location: 'https://example.com/' },
		outcome: 'unknown',
	},
	{ name: 'HTML page', told: { kind: 'html' }, outcome: 'unknown' },
	{ name: 'Empty body', told: { kind: 'empty' }, outcome: 'unknown' },
	{ name: 'Broken JSON', told: { kind: 'invalidJson' }, outcome: 'unknown' },
	{ name: 'No request_id', told: { kind: 'noRequestId' }, outcome: 'sent' },
	{ name: 'Late by 5 s', told: { kind: 'delay', milliseconds: 5000 }, outcome: 'sent' },
	{ name: 'No response', told: { kind: 'hang' }, outcome: 'unknown' },
	{ name: 'Drop before reading', told: { kind: 'dropBeforeReading' }, outcome: 'unknown' },
	{
		name: 'Drop after accepting',
		told: { kind: 'dropAfterAccepting' },
		outcome: 'unknown, arrives',
	},
	{ name: 'Half a response', told: { kind: 'truncate' }, outcome: 'unknown, arrives' },
	{ name: 'Stall halfway', told: { kind: 'stall' }, outcome: 'unknown, arrives' },
	{ name: 'Expired link, HTTP 404', told: http(404, OF_GATEWAY), on: 'file' },
	{ name: 'Expired link, HTTP 410', told: http(410, OF_GATEWAY), on: 'file' },
];

/** As the page calls it. */
export function nameOf(told: Misbehaviour): string {
	return menu.find((one) => isDeepStrictEqual(one.told, told))?.name ?? told.kind;
}
