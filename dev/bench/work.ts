import type { FileFields } from '../sandbox/server';

/** Messages to send, to as many recipients. */
export interface SendWork {
	kind: 'send';
	items: number;
	/** Milliseconds that the service takes for each. */
	latency: number;
	/** Of a campaign, where all fields differ from item to item. Left out: only the recipient does. */
	mapping?: Mapping;
	/** Whether each message has a Send Once Key. */
	hasKey?: boolean;
	/** Whether an item that fails lets the others go on, so that nothing needs to be read ahead. */
	continues?: boolean;
	/** Milliseconds from one end of the line to the other and back. Left out: no line, and no TLS. */
	roundTrip?: number;
	/** Left out: all at once, the only way of HTTP Request. */
	concurrency?: number;
	/** With HTTP Request's own Batching: so many items, then a pause of a millisecond. */
	batchSize?: number;
}

/** How people fill in ten fields: one expression for each, one JSON, or only the two that every way needs. */
export type Mapping = 'fields' | 'json' | 'input';

/** In words. */
export const MAPPING_NAMES: Record<Mapping, string> = {
	fields: 'field by field',
	json: 'one JSON',
	input: 'From Input Item',
};

export const MAPPINGS = Object.keys(MAPPING_NAMES) as Mapping[];

/** Files of one size to fetch and to store. */
export interface DownloadWork {
	kind: 'download';
	items: number;
	/** Of each file. */
	bytes: number;
	/** Where the service has the file. */
	as: 'link' | 'body' | 'base64';
	concurrency?: number;
}

export type Work = SendWork | DownloadWork;

export type N8nContenderName = 'workchat' | 'httpRequest' | 'floor';
export type ContenderName = N8nContenderName | 'axios';

export const NAMES: Record<ContenderName, string> = {
	workchat: 'Workchat node',
	httpRequest: 'HTTP Request node',
	floor: 'smallest node',
	axios: 'bare axios',
};

/** A sandbox, as the contenders have to know it. */
export interface Target {
	url: string;
	/** The same service at the other end of a line, over TLS. */
	farUrl: string;
	/** Of that end, in PEM. */
	certificate: string;
	key: string;
	/** What asks for the file. */
	file: FileFields;
}

/** What a contender says of its work. */
export interface Done {
	/** What came out, to be compared with what was asked for. */
	items: number;
	/** Of all files together. */
	bytes: number;
	/** Milliseconds of the wall clock. */
	from: number;
	to: number;
	/** Milliseconds that the event loop stood still at the longest, where that is watched. */
	standstill?: number;
}

/** Somebody who is ready to work, in a process of its own. */
export interface Contender {
	readonly pid: number;
	perform(work: Work): Promise<Done>;
}

/** The same work, small: it loads and compiles what the measured run needs. */
export function warmUpOf(work: Work): Work {
	const small = smallerOf(work);
	return small.kind === 'send' ? { ...small, latency: 0, roundTrip: undefined } : small;
}

/** As little as shows that it works. */
export function smallerOf(work: Work): Work {
	return work.kind === 'send'
		? { ...work, items: Math.min(work.items, 100) }
		: { ...work, items: Math.min(work.items, 10), bytes: Math.min(work.bytes, 100_000) };
}

/** How many requests it takes. */
export function requestsOf(work: Work): number {
	return work.kind === 'download' && work.as === 'link' ? 2 * work.items : work.items;
}
