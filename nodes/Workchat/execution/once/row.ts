import { sleep, type ICheckProcessedOptions, type IExecuteFunctions } from 'n8n-workflow';

import { entriesOf } from './names';
import { silence, tried } from './patience';

/** Entries that n8n keeps for a node; it drops the oldest (n8n 2.40, deduplication-helper). */
const MOST_ENTRIES = 41_000;
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

/** Written with every call: a row that has neither this nor the call before is new, or was cleared. */
const ANCHOR = 'n8n-nodes-workchat';
/** Of each call, as asking for one writes it. */
const MARKS = 10;
/** Calls whose marks are kept: what is older stands or falls with the oldest of them. */
const MOST_CALLS = 16;
const MOST_LOSSES = 100;
/** Two workers that write again what the other overwrote could go on for ever. */
const MOST_RESTORATIONS = 10;
/** Milliseconds, and names, that this process remembers so as to write them again. */
const LONGEST_MEMORY = 120_000;
const MOST_REMEMBERED = 2000;
/** Milliseconds without an answer after which this process may have stood still. */
const STANDSTILL = 1000;
/**
 * A worker that stood still waits as long again, within these milliseconds: others look again in the
 * meantime, and need half a second to write what it overwrote.
 */
const pauseAfter = (standstill: number) => Math.min(Math.max(standstill, 1000), 4000) + 500;

type Helpers = Pick<
	IExecuteFunctions['helpers'],
	'checkProcessedAndRecord' | 'removeProcessed' | 'getProcessedDataCount'
>;

interface Answer {
	/** The entries that were there before. */
	known: Set<string>;
	call: number;
}

/** What was written together with marks of its own, which tell when it is gone. */
interface Marked extends Answer {
	marks: string[];
}

interface Question {
	/** For each try anew: what was asked in vain may have been written. */
	entries(): string[];
	answer(answer: Answer): void;
	fail(error: unknown): void;
	/** Whether whoever asked was told before that n8n does not answer. */
	isLate: boolean;
}

interface Removal {
	entries: string[];
	done(): void;
}

/** A name that is being sent, or was sent lately. */
interface Change {
	restored: ((name: string) => void) | undefined;
	/** The one that it stands or falls with. */
	call: number;
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
	/** Of the latest execution: all of them reach the same row. */
	helpers!: Helpers;

	/** How many entries there are, as far as this process can tell. */
	private length: number | undefined;
	private questions: Question[] = [];
	private removals: Removal[] = [];
	private isWorking = false;
	/** When the call under way began, and the latest one that was answered, of the monotonic clock. */
	private began = Infinity;
	private answered = -Infinity;
	/** When others will have written again what this process overwrote while it stood still. */
	private restored = -Infinity;
	/** The latest calls, and the marks of each that were not asked for yet. */
	private calls: Array<{ number: number; marks: string[] }> = [];
	private latest = 0;
	/** Calls that another worker overwrote, from one to another. */
	private losses: Array<[after: number, upTo: number]> = [];
	private readonly changes = new Map<string, Change>();
	/** Marks that are of no use any more: they go with the next removal. */
	private rubbish: string[] = [];
	/** Milliseconds that n8n took for the latest calls. */
	private recent: number[] = [];

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
	 * @param read gets the answer before anything else is asked, also one that comes too late; what it
	 * removes, nobody else sees
	 * @param longestWait milliseconds until it rejects, though n8n may still hear it
	 */
	async record(
		entries: () => string[],
		read: (answer: Answer, isLate: boolean) => void = () => {},
		longestWait = LONGEST_CALL,
	): Promise<Answer> {
		const isStuck = performance.now() - this.began > LONGEST_CALL;
		const question = { entries, isLate: false } as Question;
		const answered = new Promise<Answer>((resolve, fail) => {
			const answer = (answer: Answer) => {
				read(answer, question.isLate);
				resolve(answer);
			};
			this.questions.push(Object.assign(question, { answer, fail }));
		});
		void this.work();
		try {
			return await Promise.race([answered, silence(isStuck ? 0 : longestWait)]);
		} finally {
			question.isLate = true;
		}
	}

	/** The same of entries that may have to be erased. */
	async recordMarked(entries: string[]): Promise<Marked> {
		const marks = newMarks();
		return { ...(await this.record(() => [...marks, ...entries])), marks };
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
	 * @returns whether they are: not if others wrote over it, or n8n does not answer
	 */
	async erase(entries: string[], { marks, call }: Marked): Promise<boolean> {
		for (let left = [...marks]; left.length > 0; ) {
			await this.remove([...entries, ...left]);
			await sleep(this.untilCertain);
			let mark = '';
			const answer = await this.record(() => [(mark = left.pop() ?? '')]).catch(() => undefined);
			this.rubbish.push(mark);
			if (!answer || mark === '') return false;
			if (!answer.known.has(mark)) return !this.isLost(call);
		}
		return false;
	}

	/** Whether what a call wrote stands, now that whoever read the row before has written it. */
	async stands(call: number): Promise<boolean> {
		await sleep(this.untilCertain);
		await this.check();
		return !this.isLost(call);
	}

	/** The same of one that stood before. This process may have stood still meanwhile. */
	async stillStands(call: number): Promise<boolean> {
		if (performance.now() - this.answered > STANDSTILL) await this.check();
		return !this.isLost(call);
	}

	/** Whether this process may just have overwritten what others wrote, and they did it again by now. */
	async isRestored(): Promise<boolean> {
		const rest = this.restored - performance.now();
		if (rest > 0) await sleep(rest);
		return rest > 0;
	}

	/**
	 * Remembers names that are in the row.
	 * @param restored of what was sent: it was written again, and may be open again
	 */
	remember(names: string[], restored?: (name: string) => void): void {
		const call = this.latest;
		const at = performance.now();
		for (const name of names) {
			this.changes.delete(name);
			this.changes.set(name, { restored, call, at });
		}
		for (const [oldest, change] of this.changes) {
			const isOld = change.at < at - LONGEST_MEMORY;
			if (!isOld && this.changes.size <= MOST_REMEMBERED) break;
			this.changes.delete(oldest);
		}
	}

	/** Whether a message was sent lately, by whatever execution of this process. */
	isSent(names: string[]): boolean {
		return names.some((name) => this.changes.get(name)?.restored !== undefined);
	}

	forget(names: string[]): void {
		for (const name of names) this.changes.delete(name);
	}

	/** Finds out whether another worker wrote over this row. */
	async check(): Promise<void> {
		await this.record(() => []);
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
		const asked = questions.map((question) => question.entries());
		const { call, known, isWhole } = await this.write(asked.flat());
		if (!isWhole && known.has(ANCHOR)) await this.restore();
		else if (!isWhole) this.beginAnew();
		for (const [index, { answer }] of questions.entries()) {
			const entries = asked[index] ?? [];
			answer({ known: new Set(entries.filter((entry) => known.has(entry))), call });
			// Of what another question asks for at the same time, n8n knows nothing.
			for (const entry of entries) known.add(entry);
		}
	}

	private async write(entries: string[]): Promise<Answer & { isWhole: boolean }> {
		const { helpers } = this;
		const previous = this.calls.at(-1);
		const mark = previous?.marks.pop() ?? '';
		if (mark !== '') this.rubbish.push(mark);
		const marks = newMarks();
		const all = [...new Set([ANCHOR, mark, ...marks, ...entries])].filter(Boolean);
		const began = performance.now();
		const { processed } = await this.timed(async () => {
			this.length ??= await helpers.getProcessedDataCount(SCOPE, OPTIONS);
			return await helpers.checkProcessedAndRecord(all, SCOPE, OPTIONS);
		});
		this.recent = [...this.recent, performance.now() - began].slice(-RECENT_CALLS);
		this.calls.push({ number: ++this.latest, marks });
		if (this.calls.length > MOST_CALLS) this.rubbish.push(...(this.calls.shift()?.marks ?? []));
		const known = new Set(processed.map(String));
		const length = (this.length ?? 0) + all.length - known.size;
		this.dropped += Math.max(0, length - MOST_ENTRIES);
		this.length = Math.min(length, MOST_ENTRIES);
		const isWhole = !previous || known.has(mark);
		return { call: this.latest, known, isWhole };
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
			if (took > this.untilCertain) this.restored = began + took + pauseAfter(took);
		}
	}

	/** The row is new, or somebody cleared it, and wants all to be forgotten. */
	private beginAnew(): void {
		this.losses = [[-1, this.latest - 1]];
		this.calls.splice(0, this.calls.length - 1);
		this.changes.clear();
		this.rubbish = [];
	}

	private isLost(call: number): boolean {
		return this.losses.some(([after, upTo]) => after < call && call <= upTo);
	}

	/** Writes again what another worker overwrote, until it stands. */
	private async restore(): Promise<void> {
		for (let tries = 1; tries <= MOST_RESTORATIONS; tries++) {
			await this.findLosses();
			const lost = [...this.changes].filter(([, { call }]) => this.isLost(call));
			if (lost.length === 0) return;
			const entries = lost.flatMap(([name, { restored }]) => (restored ? name : entriesOf(name)));
			const written = await this.write(entries).catch(() => {});
			if (!written) return;
			for (const [name, change] of lost) {
				change.call = written.call;
				// It may have been forgotten meanwhile.
				if (this.changes.get(name) === change) change.restored?.(name);
			}
			if (written.isWhole) return;
		}
	}

	/** What a call wrote stands for as long as its marks do. */
	private async findLosses(): Promise<void> {
		const asked = this.calls.splice(0).map((call) => ({ ...call, mark: call.marks.pop() ?? '' }));
		this.rubbish.push(...asked.map(({ mark }) => mark));
		const known = await this.write(asked.map(({ mark }) => mark)).then(
			(written) => written.known,
			() => new Set<string>(),
		);
		const standing = asked.filter(({ mark }) => known.has(mark));
		for (const [index, { number, mark }] of asked.entries())
			if (!known.has(mark)) this.losses.push([asked[index - 1]?.number ?? 0, number]);
		this.losses = this.losses.slice(-MOST_LOSSES);
		this.calls.unshift(...standing.filter(({ marks }) => marks.length > 0));
	}
}

/** Entries that tell of a write: whether it is there, and whether it is gone. */
function newMarks(): string[] {
	return Array.from({ length: MARKS }, () => `mark ${crypto.randomUUID()}`);
}
