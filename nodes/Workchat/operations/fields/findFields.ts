import { Breather } from '../../service/breather';
import type { Field } from './field';

export interface Found {
	/** All objects with every field, of the least depth that has one. */
	complete: Candidate[];
	/** Without such an object, the one with most fields; the outer and earlier one of equals. */
	best?: Candidate;
}

/** A value, and the way to it. */
interface Step {
	value: object;
	key?: string | number;
	parent?: Step;
}

/** An object, and what it has of the fields that are looked for. */
export class Candidate {
	/** The keys that come to the name of a field, by the fields' names. */
	private readonly keysOf = new Map<string, string[]>();
	private readonly object: Record<string, unknown>;

	constructor(private readonly step: Step) {
		this.object = step.value as Record<string, unknown>;
	}

	add(field: string, key: string): void {
		const keys = this.keysOf.get(field);
		if (keys) keys.push(key);
		else this.keysOf.set(field, [key]);
	}

	/** How many of the fields it has. */
	get size(): number {
		return this.keysOf.size;
	}

	/** The names of everything in it. */
	get keys(): string[] {
		return Object.keys(this.object);
	}

	/** Keys that come to the name of one field, but have different values. */
	get clashes(): string[][] {
		const isClash = ([first = '', ...others]: string[]) =>
			others.some((key) => !isSameValue(this.object[key], this.object[first]));
		return [...this.keysOf.values()].filter(isClash);
	}

	has(field: string): boolean {
		return this.keysOf.has(field);
	}

	valueOf(field: string): unknown {
		const [key] = this.keysOf.get(field) ?? [];
		return key === undefined ? undefined : this.object[key];
	}

	isSameAs(other: Candidate): boolean {
		const fields = [...this.keysOf.keys()];
		return fields.every((field) => isSameValue(this.valueOf(field), other.valueOf(field)));
	}

	/** Where it stands, such as `body.videos[0]`; empty for the outermost value. */
	get place(): string {
		const parts: string[] = [];
		for (let at: Step | undefined = this.step; at?.key !== undefined; at = at.parent) {
			parts.push(typeof at.key === 'number' ? `[${at.key}]` : `.${at.key}`);
		}
		return parts.reverse().join('').replace(/^\./, '');
	}
}

/** In characters. */
const LONGEST_NAME = 200;

/**
 * Looks for objects with certain fields at any depth, by either of their names. The case of a name,
 * and spaces, "_" and "-" in it, make no difference. Takes linear time.
 * @param likely a name in the root: a complete object under it is taken before others at its depth
 */
export async function findFields(
	wanted: Array<Pick<Field, 'name' | 'label'>>,
	root: unknown,
	likely?: string,
): Promise<Found> {
	const fields = new Map(
		wanted.flatMap(({ name, label }) => [name, label].map((each) => [plainName(each), name])),
	);
	const breather = new Breather();
	const readObject = async (step: Step, children: Step[]): Promise<Candidate | undefined> => {
		let candidate: Candidate | undefined;
		for (const [key, child] of entriesOf(step.value)) {
			if (breather.isDue()) await breather.breathe();
			const field = typeof key === 'string' ? fields.get(plainName(key)) : undefined;
			if (field !== undefined) (candidate ??= new Candidate(step)).add(field, String(key));
			if (isSearchable(child)) children.push({ value: child, key, parent: step });
		}
		return candidate;
	};
	const seen = new Set<object>();
	let best: Candidate | undefined;
	let level: Step[] = isSearchable(root) ? [{ value: root }] : [];
	while (level.length > 0) {
		const complete: Candidate[] = [];
		const deeper: Step[] = [];
		for (const step of level) {
			if (breather.isDue()) await breather.breathe();
			// An object that holds itself would have no end.
			if (seen.has(step.value)) continue;
			seen.add(step.value);
			const candidate = await readObject(step, deeper);
			if (candidate?.size === wanted.length) complete.push(candidate);
			else if (candidate && candidate.size > (best?.size ?? 0)) best = candidate;
		}
		if (complete.length > 0) return { complete };
		const named = level[0]?.value === root ? deeper.find(({ key }) => key === likely) : undefined;
		const candidate = named && (await readObject(named, []));
		if (candidate?.size === wanted.length) return { complete: [candidate] };
		level = deeper;
	}
	return { complete: [], best };
}

function* entriesOf(value: object): Iterable<[string | number, unknown]> {
	if (Array.isArray(value)) yield* value.entries();
	else for (const key of Object.keys(value)) yield [key, (value as Record<string, unknown>)[key]];
}

function isSearchable(value: unknown): value is object {
	return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
}

function plainName(name: string): string {
	// Nobody names a field like that; a long run of one class can exceed the stack of V8's RegExp.
	if (name.length > LONGEST_NAME) return name;
	return name.toLowerCase().replace(/[\s_-]+/g, '');
}

/** Whether two values go over the wire as the same text. */
function isSameValue(one: unknown, other: unknown): boolean {
	return one === other || (isPlain(one) && isPlain(other) && String(one) === String(other));
}

function isPlain(value: unknown): boolean {
	return typeof value === 'string' || typeof value === 'number';
}
