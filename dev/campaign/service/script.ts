import type { Plan } from '../plan';
import { sends } from './sends';
import { answer, type Step } from './step';

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

const NO_SUCH_FILE = answer('no such file', [], { status: 404, headers: {} });

/** What is left of an item's script, and of what its last answer linked to. */
interface Thread {
	item: number;
	steps: Step[];
	link: Step[];
}

/** What the service does to the requests of a plan, one after the other for each item. */
export class Script {
	readonly seen: Seen[] = [];
	private readonly threads: Map<string, Thread>;

	constructor(
		readonly plan: Plan,
		private readonly now: () => number,
	) {
		this.threads = new Map(
			plan.items.map(({ marker, script }, item) => [
				marker,
				{ item, steps: [...script], link: [] },
			]),
		);
	}

	/** @returns what is noted of a request, and what is to be called once it has ended */
	hear(marker: string, about: Pick<Seen, 'run' | 'isLink' | 'hasKey' | 'startedAt'>) {
		const thread = this.threads.get(marker)!;
		const seen: Seen = { ...about, item: thread.item, step: this.next(thread, about), growth: 0 };
		this.seen.push(seen);
		const end = (by: 'service' | 'client') => {
			seen.endedAt ??= this.now();
			seen.endedBy ??= by;
		};
		return { seen, end };
	}

	private next(thread: Thread, { run, isLink }: Pick<Seen, 'run' | 'isLink'>): Step {
		/** The last one stays. */
		const nextOf = (steps: Step[]) => (steps.length > 1 ? steps.shift() : steps[0]);
		if (isLink) return nextOf(thread.link) ?? NO_SUCH_FILE;
		const planned = nextOf(thread.steps) ?? sends.plain;
		const isCalm = this.plan.runs[run]?.isCalm && this.plan.kind !== 'download';
		const step = isCalm ? sends.plain : planned;
		thread.link = [...(step.link ?? [])];
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
