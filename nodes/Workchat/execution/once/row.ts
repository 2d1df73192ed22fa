import { sleep, type ICheckProcessedOptions, type IExecuteFunctions } from 'n8n-workflow';

import { Call } from './call';
import { entriesOf, openName } from './names';
import { silence, tried } from './patience';

/** Entries that n8n keeps for a node; it drops the oldest (n8n 2.40, deduplication-helper). */
export const MOST_ENTRIES = 41_000;
/** So many are as good as none. */
const FEWEST_ENTRIES = 4000;
const OPTIONS: ICheckProcessedOptions = { mode: 'entries', maxEntries: MOST_ENTRIES };
const SCOPE = 'node';
/** Milliseconds that a call may take; n8n sets no limit of its own. */
const LONGEST_CALL = 10_000;
/** For each entry that n8n removes, it reads all others in one go: so many take it some 20 ms. */
const MOST_READ = 2_000_000;
/**
 * Milliseconds until an entry that another worker overwrote at the same moment is seen to be gone:
 * with 100, no claim of 300 was lost on two workers with PostgreSQL; with 20, some were (n8n 2.40).
 */
const UNTIL_CERTAIN = 100;
/** A row so long that n8n takes a while to write it needs as many times that. */
const CALLS_UNTIL_CERTAIN = 8;
/** Calls that tell how long that is: one alone may just have met a busy process. */
const RECENT_CALLS = 9;

/** Written with every call. A row without it is new, or somebody cleared it. */
const ANCHOR = 'n8n-nodes-workchat';
/** Calls whose marks are kept; older ones become one. */
const MOST_CALLS = 16;
/** Milliseconds, and names, that this process remembers so as to write them again. */
const LONGEST_MEMORY = 120_000;
const MOST_REMEMBERED = 2000;
/** Milliseconds without an answer after which this process may have stood still. */
const STANDSTILL = 1000;
/**
 * Milliseconds before each look for what a worker that stood still overwrites after a run. It waits as
 * long again as it stood still, so that one of the looks comes meanwhile.
 */
const LATE_LOOKS = [1000, 1000, 2000, 4000];
const LONGEST_PAUSE = Math.max(...LATE_LOOKS);

export interface Answer {
	/** Those entries that were there before. */
	known: Set<string>;
	call: Call;
	/** Whether whoever asked was told before that n8n does not answer. */
	isLate: boolean;
}

interface Question {
	/** For each try anew: what was asked in vain may have been written. */
	entries(): string[];
	answer(answer: Answer): void;
	fail(error: unknown): void;
	isLate: boolean;
}

interface Removal {
	entries: string[];
	done(): void;
}

/** A name that is being sent, or was sent lately. */
interface Change {
	isSent: boolean;
	/** The one that it stands or falls with. */
	call: Call;
	/** Of the monotonic clock, in milliseconds. */
	at: number;
}

/**
 * What n8n remembers for one node outside its executions: a row of entries, as far as this process
 * knows it. Every call reads and writes the whole row without a lock (n8n 2.40,
 * deduplication-helper), so calls of one process wait for each other, and what waits goes together.
 * Another worker that stands still between reading and writing takes away all that was written
 * meanwhile. So each call leaves marks, and asks for one of the call before: where that is gone, what
 * this process remembers is written again.
 */
export class Row {
	/** Entries that n8n dropped, as far as this process can tell. */
	dropped = 0;
	/** Names that executions of this process let go of at present. */
	readonly leaving = new Map<string, Promise<void>>();
	/** Of the latest execution: all of them reach the same row. */
	helpers!: IExecuteFunctions['helpers'];

	/** How many entries there are, as far as this process can tell. */
	private length: number | undefined;
	private questions: Question[] = [];
	private removals: Removal[] = [];
	private isWorking = false;
	/** Whether another worker was seen to write this row. */
	private hasCompany = false;
	/** When the call under way began, and the latest one that was answered, of the monotonic clock. */
	private began = Infinity;
	private answered = -Infinity;
	/** When others will have written again what this process overwrote while it stood still. */
	private restored = -Infinity;
	/** Those whose marks are in the row, the latest last. */
	private calls: Call[] = [];
	private readonly changes = new Map<string, Change>();
	/** Marks that are of no use any more: they go with the next removal. */
	private rubbish: string[] = [];
	/** Milliseconds that n8n took for the latest calls. */
	private recent: number[] = [];
	/** When the looks after a run began that are under way. */
	private looks = 0;

	/** As many entries as n8n can remove in one go without holding the event loop for long. */
	get mostRemoved(): number {
		return MOST_READ / Math.max(this.length ?? MOST_ENTRIES, FEWEST_ENTRIES);
	}

	/** Learns how long the row is. Rejects where n8n has no memory, or it does not answer. */
	async count(): Promise<void> {
		this.length = undefined;
		await this.check();
	}

	/**
	 * Writes entries, and tells which of them were there.
	 * @param entries for each try anew
	 * @param read gets the answer before anything else is asked; what it removes, nobody else sees
	 * @param longestWait milliseconds until it rejects, though n8n may still hear it
	 */
	async record<T>(
		entries: () => string[],
		read: (answer: Answer) => T,
		longestWait = LONGEST_CALL,
	): Promise<T> {
		const isStuck = performance.now() - this.began > LONGEST_CALL;
		const question = { entries, isLate: false } as Question;
		const answer = new Promise<T>((resolve, fail) => {
			Object.assign(question, { fail, answer: (answer: Answer) => resolve(read(answer)) });
		});
		this.questions.push(question);
		void this.work();
		try {
			return await Promise.race([answer, silence(isStuck ? 0 : longestWait)]);
		} finally {
			question.isLate = true;
		}
	}

	/** Resolves once n8n was told, whether it did it or not. */
	async remove(entries: string[]): Promise<void> {
		await new Promise<void>((done) => {
			this.removals.push({ entries, done });
			void this.work();
		});
	}

	/**
	 * Removes entries until they are gone for certain, which it tells by marks that go along.
	 * @param call that wrote the marks
	 * @returns whether they are, or others wrote over it; none where n8n does not answer
	 */
	async erase(entries: string[], marks: string[], call: Call): Promise<boolean | undefined> {
		for (let left = [...marks]; left.length > 0; ) {
			await this.remove([...entries, ...left]);
			await sleep(this.untilCertain);
			let mark = '';
			const nextMark = () => [(mark = left.pop() ?? '')];
			const isGone = ({ known }: Answer) => mark !== '' && !known.has(mark);
			const answer = await this.record(nextMark, isGone).catch(() => undefined);
			if (answer !== false) return answer && !call.isLost;
		}
		return false;
	}

	/** Whether what a call wrote stands, now that whoever read the row before has written it. */
	async stands(call: Call): Promise<boolean> {
		await sleep(this.untilCertain);
		await this.check();
		return !call.isLost;
	}

	/** The same of one that stood before. This process may have stood still meanwhile. */
	async stillStands(call: Call): Promise<boolean> {
		if (performance.now() - this.answered > STANDSTILL) await this.check();
		return !call.isLost;
	}

	/** Whether this process may just have overwritten what others wrote, and they did it again by now. */
	async isRestored(): Promise<boolean> {
		const rest = this.restored - performance.now();
		if (rest > 0) await sleep(rest);
		return rest > 0;
	}

	/** Remembers names that are in the row. */
	remember(names: string[], isSent: boolean): void {
		const call = this.calls.at(-1);
		const at = performance.now();
		for (const name of names) {
			this.changes.delete(name);
			if (call) this.changes.set(name, { isSent, call, at });
		}
		for (const [oldest, change] of this.changes) {
			const isOld = change.at < at - LONGEST_MEMORY;
			if (!isOld && this.changes.size <= MOST_REMEMBERED) break;
			this.changes.delete(oldest);
		}
	}

	forget(names: string[]): void {
		for (const name of names) this.changes.delete(name);
	}

	/** Looks a few times for what a worker that stands still now will have overwritten. */
	async lookLater(): Promise<void> {
		if (!this.hasCompany) return;
		const mine = ++this.looks;
		for (const pause of LATE_LOOKS) {
			await sleep(pause);
			if (this.looks !== mine) return;
			await this.check().catch(() => {});
		}
		const marks = this.calls.splice(0).flatMap(({ marks }) => marks);
		while (marks.length > 0) await this.remove(marks.splice(0, this.mostRemoved));
	}

	private async check(): Promise<void> {
		await this.record(
			() => [],
			() => {},
		);
	}

	private get untilCertain(): number {
		const sorted = this.recent.toSorted((one, other) => one - other);
		const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
		return Math.min(Math.max(UNTIL_CERTAIN, CALLS_UNTIL_CERTAIN * median), LONGEST_CALL);
	}

	private async work(): Promise<void> {
		if (this.isWorking) return;
		this.isWorking = true;
		// What is asked in this very moment goes along.
		await Promise.resolve();
		while (this.removals.length + this.questions.length > 0) {
			await this.removeSome();
			const questions = this.questions.splice(0).filter(({ isLate }) => !isLate);
			if (questions.length === 0) continue;
			await tried(async () => await this.recordAll(questions)).catch((error: unknown) => {
				for (const { fail } of questions) fail(error);
			});
		}
		this.isWorking = false;
	}

	private async recordAll(questions: Question[]): Promise<void> {
		const previous = this.calls.at(-1);
		const mark = previous?.marks.pop() ?? '';
		if (mark !== '') this.rubbish.push(mark);
		const asked = questions.map((question) => question.entries());
		const { call, known } = await this.write([mark, ...asked.flat()]);
		if (!known.has(ANCHOR)) this.beginAnew();
		else if (previous && !known.has(mark)) await this.findLoss();
		for (const [index, { answer, isLate }] of questions.entries()) {
			const entries = asked[index] ?? [];
			const before = this.removals.length;
			answer({ known: new Set(entries.filter((entry) => known.has(entry))), call, isLate });
			// Of what another question asks for at the same time, n8n knows nothing.
			for (const entry of entries) known.add(entry);
			for (const removal of this.removals.slice(before)) {
				for (const entry of removal.entries) known.delete(entry);
			}
		}
	}

	private async write(entries: string[]): Promise<{ call: Call; known: Set<string> }> {
		const { helpers } = this;
		const call = new Call();
		const all = [...new Set([ANCHOR, ...call.marks, ...entries])].filter(Boolean);
		const began = performance.now();
		const { processed } = await this.timed(async () => {
			this.length ??= await helpers.getProcessedDataCount(SCOPE, OPTIONS);
			return await helpers.checkProcessedAndRecord(all, SCOPE, OPTIONS);
		});
		this.recent = [...this.recent, performance.now() - began].slice(-RECENT_CALLS);
		this.calls.push(call);
		const [oldest, next] = this.calls;
		if (oldest && next && this.calls.length > MOST_CALLS) {
			oldest.later = next;
			this.rubbish.push(...oldest.marks);
			this.calls.shift();
		}
		const known = new Set(processed.map(String));
		const length = (this.length ?? 0) + all.length - known.size;
		this.dropped += Math.max(0, length - MOST_ENTRIES);
		this.length = Math.min(length, MOST_ENTRIES);
		return { call, known };
	}

	private async removeSome(): Promise<void> {
		const { helpers } = this;
		const some: Removal[] = [];
		const entries: string[] = [];
		while (entries.length < this.mostRemoved && this.removals.length > 0) {
			some.push(...this.removals.splice(0, 1));
			entries.push(...(some.at(-1)?.entries ?? []));
		}
		if (some.length === 0) return;
		entries.push(...this.rubbish.splice(0, this.mostRemoved));
		// Not tried again: meanwhile they may be somebody else's.
		const removal = this.timed(async () => await helpers.removeProcessed(entries, SCOPE, OPTIONS));
		await removal.then(
			() => (this.length = (this.length ?? 0) - entries.length),
			() => {},
		);
		for (const { done } of some) done();
	}

	private async timed<T>(call: () => Promise<T>): Promise<T> {
		const began = performance.now();
		this.began = began;
		try {
			const result = await call();
			this.answered = began;
			return result;
		} finally {
			this.began = Infinity;
			const took = performance.now() - began;
			if (took > STANDSTILL) this.restored = began + took + Math.min(took, LONGEST_PAUSE);
		}
	}

	/** The row is new, or somebody cleared it, and wants all to be forgotten. */
	private beginAnew(): void {
		for (const call of this.calls.splice(0, this.calls.length - 1)) call.isOverwritten = true;
		this.changes.clear();
		this.rubbish = [];
	}

	/** Finds the calls that another worker overwrote, and writes again what stood or fell with them. */
	private async findLoss(): Promise<void> {
		this.hasCompany = true;
		const calls = this.calls.splice(0);
		const marks = calls.map((call) => call.marks.pop() ?? '');
		const known = await this.write(marks).then(
			(written) => written.known,
			() => new Set<string>(),
		);
		const isStanding = (_: Call, index: number) => known.has(marks[index] ?? '');
		this.calls.unshift(...calls.filter(isStanding));
		for (const [index, call] of calls.entries())
			if (!isStanding(call, index)) call.isOverwritten = true;
		const lost = [...this.changes].filter(([, change]) => change.call.isLost);
		if (lost.length === 0) return;
		const entries = lost.flatMap(([name, { isSent }]) => (isSent ? [name] : entriesOf(name)));
		const written = await this.write(entries).catch(() => undefined);
		for (const [name] of written ? lost : []) {
			// It may have changed since, or been forgotten.
			const change = this.changes.get(name);
			if (!change || !written) continue;
			change.call = written.call;
			if (change.isSent) void this.remove([openName(name)]);
		}
	}
}

/** The rows of this process, by workflow and node. */
export class Rows {
	private readonly rows = new Map<string, Row>();

	of(context: IExecuteFunctions): Row {
		const id = `${context.getWorkflow().id} ${context.getNode().id}`;
		const row = this.rows.get(id) ?? new Row();
		this.rows.set(id, row);
		row.helpers = context.helpers;
		return row;
	}
}
