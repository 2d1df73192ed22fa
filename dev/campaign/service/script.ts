import type { Plan, PlannedItem } from '../plan';
import { sends } from './sends';
import type { Step } from './step';

/** One request as the service saw it; times in milliseconds. */
export interface Seen {
	item: number;
	/** Of the plan. */
	run: number;
	step: Step;
	/** For the file behind a link. */
	isLink: boolean;
	hasKey: boolean;
	startedAt: number;
	endedAt?: number;
	endedBy?: 'service' | 'client';
	/** Bytes by which the process had grown at most while this was under way. */
	growth: number;
}

const NO_SUCH_FILE: Step = {
	label: 'no such file',
	accepted: false,
	outcomes: [],
	status: 404,
	ending: 'whole',
};

/** What the service does to an item's requests, one after the other. */
export class Script {
	private played = 0;
	/** Of the last answer with a link, what is left of it. */
	private link: Step[] = [];

	constructor(
		private readonly plan: Plan,
		private readonly item: PlannedItem,
	) {}

	next(run: number, isLink: boolean): Step {
		if (isLink) return (this.link.length > 1 ? this.link.shift() : this.link[0]) ?? NO_SUCH_FILE;
		const { script } = this.item;
		const planned = script[Math.min(this.played++, script.length - 1)] ?? sends.plain;
		const isCalm = this.plan.runs[run]?.isCalm && this.plan.kind !== 'download';
		const step = isCalm ? sends.plain : planned;
		this.link = [...(step.link ?? [])];
		return step;
	}
}

/** What stands in a request that tells whose it is; of a file behind a link, its path does. */
export function markerOf(url: string, text: string): string {
	const inPath = /^\/file\/(\w+)/.exec(url)?.[1];
	if (inPath) return inPath;
	try {
		const { feedNo, fileUrl } = JSON.parse(text) as Record<string, unknown>;
		return String(feedNo ?? new URL(String(fileUrl)).pathname.slice(1));
	} catch {
		return `? ${text.slice(0, 200)}`;
	}
}
