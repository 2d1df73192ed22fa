export type Outcome = 'sent' | 'rejected' | 'notSent' | 'unknown';

/** How an answer goes on after its head. */
export type Ending =
	| 'whole'
	/** One byte after the other, until all are there. */
	| 'trickle'
	/** The connection is closed before the first byte of an answer. */
	| 'drop'
	/** … after the head. */
	| 'dropAfterHead'
	/** … in the middle of the body. */
	| 'half'
	/** Not even a head, ever. */
	| 'silent'
	/** Half of the body, and then nothing more. */
	| 'stall'
	/** A byte every few milliseconds, without end. */
	| 'drip'
	/** Switches protocols, and is silent then. */
	| 'upgrade'
	/** Something that is no HTTP. */
	| 'garbage'
	/** A small body that unpacks to hundreds of megabytes. */
	| 'bomb'
	/** Plain text in the middle of an established TLS connection. */
	| 'plainIntoTls';

/** What the stand-in does with one request. It plays it; why it does so is known here alone. */
export interface Step {
	label: string;
	/** Whether the message is delivered. */
	accepted: boolean;
	/** What can truly be said after this request: one outcome, or where it is arguable, several. */
	outcomes: Outcome[];
	/** Milliseconds before the answer. */
	delay?: number;
	status?: number;
	headers?: Record<string, string>;
	body?: string | Buffer;
	ending: Ending;
	/** What the link in the answer of a download leads to, step by step. */
	link?: Step[];
}

/** Endings that only the client's patience ends. */
export const HANGING: Ending[] = ['silent', 'stall', 'drip', 'upgrade'];

export function hangs(step: Step): boolean {
	return HANGING.includes(step.ending) || (step.link ?? []).some(hangs);
}

/** A whole answer in JSON, where nothing else is said. */
export function answer(label: string, outcomes: Outcome[], more: Partial<Step> = {}): Step {
	return {
		label,
		accepted: outcomes.includes('sent'),
		outcomes,
		status: 200,
		headers: JSON_HEADERS,
		ending: 'whole',
		...more,
	};
}

export const JSON_HEADERS: Record<string, string> = { 'content-type': 'application/json' };
export const PAGE =
	'<!doctype html><html><head><title>Sorry</title></head><body>Sorry</body></html>';

export type EnvelopeFields = Record<string, string | undefined>;
export const DONE = { ok: 'true', code: '0', message: '"done"', request_id: '"svc_campaign"' };
export const REFUSED = { ok: 'false', code: '7', message: '"no"', request_id: '"svc_campaign"' };

/** An envelope whose fields are given as JSON text, as some of them cannot be written as values. */
export function envelope(fields: EnvelopeFields): string {
	const written = Object.entries(fields).filter(([, json]) => json !== undefined);
	return `{${written.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`;
}
