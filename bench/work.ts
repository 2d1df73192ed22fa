/** Messages to send, to as many recipients. */
export interface SendWork {
	kind: 'send';
	items: number;
	/** Milliseconds that the service takes for each. */
	latency: number;
	concurrency: number;
}

/** Files of one size to fetch and to store. */
export interface DownloadWork {
	kind: 'download';
	items: number;
	/** Of each file. */
	bytes: number;
	/** Where the service has the file. */
	as: 'link' | 'body' | 'base64';
	concurrency: number;
}

export type Work = SendWork | DownloadWork;

export const CONTENDERS = ['workchat', 'httpRequest', 'axios'] as const;
export type ContenderName = (typeof CONTENDERS)[number];

export const NAMES: Record<ContenderName, string> = {
	workchat: 'Workchat node',
	httpRequest: 'HTTP Request node',
	axios: 'bare axios',
};

/** The same work, small: it loads and compiles what the measured run needs. */
export function warmUpOf(work: Work): Work {
	const items = Math.min(work.items, work.kind === 'send' ? 100 : 10);
	return work.kind === 'send'
		? { ...work, items, latency: 0 }
		: { ...work, items, bytes: Math.min(work.bytes, 100_000) };
}

/** How many requests it takes. */
export function requestsOf(work: Work): number {
	return work.kind === 'download' && work.as === 'link' ? 2 * work.items : work.items;
}
