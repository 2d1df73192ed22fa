import { randomUUID } from 'node:crypto';

import type { Arrivals, Section } from './shown';

/** Of each section, the page shows no more than these. */
export const LATEST = 200;

/** Long enough to tell of many arrivals at once, short enough to seem immediate. */
const PAUSE = 100;

interface Stamp {
	/** Counts all arrivals, whatever their section. */
	number: number;
	at: string;
}

type Sections = {
	[Name in Section]: { total: number; latest: Array<Arrivals[Name] & Stamp> };
};

/** What arrived at a sandbox: the latest of it, and how much it was in all. */
export class Inbox {
	/** From one emptying to the next. */
	private era = randomUUID();
	private lastNumber = 0;
	private sections = nothing();
	/** Counts what was told. */
	private revision = 0;
	private readonly watchers = new Set<() => void>();
	private timer?: NodeJS.Timeout;

	/** @param waiting the misbehaviours that are still to come, whose changes it is told of by `tell` */
	constructor(private readonly waiting: () => object[] = () => []) {}

	add<Name extends Section>(name: Name, entry: Arrivals[Name]): void {
		const section = this.sections[name];
		section.total++;
		section.latest.push({ ...entry, number: ++this.lastNumber, at: new Date().toISOString() });
		if (section.latest.length > LATEST) section.latest.shift();
		this.tell();
	}

	clear(): void {
		this.era = randomUUID();
		this.lastNumber = 0;
		this.sections = nothing();
		this.tell();
	}

	/** What somebody has missed who last saw the state of this id, or nothing at all. */
	after(id?: string): { id: string; state: object } | undefined {
		const newId = `${this.era}.${this.lastNumber}.${this.revision}`;
		if (id === newId) return undefined;
		const [era, number] = (id ?? '').split('.');
		const seen = era === this.era ? Number(number) : 0;
		const newOf = ({ total, latest }: Sections[Section]) => ({
			total,
			entries: latest.filter((entry) => entry.number > seen),
		});
		const { messages, files, failures } = this.sections;
		const state = {
			era: this.era,
			messages: newOf(messages),
			files: newOf(files),
			failures: newOf(failures),
			waiting: this.waiting(),
		};
		return { id: newId, state };
	}

	/** Calls back after changes, until the returned function is called. */
	watch(watcher: () => void): () => void {
		this.watchers.add(watcher);
		return () => this.watchers.delete(watcher);
	}

	/** Tells those who watch that something changed. */
	tell(): void {
		this.revision++;
		if (this.watchers.size === 0) return;
		this.timer ??= setTimeout(() => {
			this.timer = undefined;
			for (const watcher of this.watchers) watcher();
		}, PAUSE).unref();
	}
}

function nothing(): Sections {
	const section = () => ({ total: 0, latest: [] });
	return { messages: section(), files: section(), failures: section() };
}
