import { isDeepStrictEqual } from 'node:util';

import { KINDS, type Misbehaviour, type Waiting } from './misbehaviour';

/** A misbehaviour to choose, and what the node makes of a message that suffers it. */
export interface Choice {
	name: string;
	told: Misbehaviour;
	/** Only links to files suffer it. */
	on?: 'file';
	/** Of a message after one try. */
	outcome?: 'sent' | 'rejected' | 'unknown';
	/** Whether the node tries again by itself, so that one misbehaviour alone does no harm. */
	isRetried?: true;
	/** Whether the message is delivered all the same. */
	arrives?: true;
}

const CHOICES: Choice[] = [
	{ name: 'Refuse', told: { kind: 'refuse', code: 12345, message: 'no' }, outcome: 'rejected' },
	{ name: 'HTTP 400', told: { kind: 'httpError', status: 400 }, outcome: 'rejected' },
	{
		name: 'HTTP 429, too fast',
		told: { kind: 'httpError', status: 429, retryAfter: '2' },
		outcome: 'rejected',
		isRetried: true,
	},
	{ name: 'HTTP 500', told: { kind: 'httpError', status: 500 }, outcome: 'unknown' },
	{
		name: 'HTTP 502 of a gateway',
		told: { kind: 'httpError', status: 502, hasEnvelope: false },
		outcome: 'unknown',
	},
	{
		name: 'HTTP 503 with an envelope',
		told: { kind: 'httpError', status: 503 },
		outcome: 'rejected',
		isRetried: true,
	},
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
	{ name: 'Drop after accepting', told: { kind: 'dropAfterAccepting' }, outcome: 'unknown' },
	{ name: 'Half a response', told: { kind: 'truncate' }, outcome: 'unknown' },
	{ name: 'Stall halfway', told: { kind: 'stall' }, outcome: 'unknown' },
	...[404, 410].map((status): Choice => {
		const told = { kind: 'httpError' as const, status, hasEnvelope: false };
		return { name: `Expired link, HTTP ${status}`, told, on: 'file' };
	}),
];

/** At least one of each kind. */
export const menu = CHOICES.map((choice): Choice => {
	const { isAccepted } = KINDS[choice.told.kind];
	return isAccepted ? { ...choice, arrives: isAccepted } : choice;
});

/** What waits, by its name on the page. */
export function nameOf({ told, ...waiting }: Waiting): Omit<Waiting, 'told'> & { name: string } {
	const choice = menu.find((one) => isDeepStrictEqual(one.told, told));
	return { name: choice?.name ?? KINDS[told.kind].effect, ...waiting };
}
