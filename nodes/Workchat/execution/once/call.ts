/** Of each write, as asking for one writes it. */
const MARKS = 10;

/** A call that wrote entries. What it wrote stands for as long as its marks do. */
export class Call {
	readonly marks = newMarks();
	isOverwritten = false;
	/** What the marks of a later call tell of this one, too. */
	later: Call | undefined;

	/** Whether another worker wrote back the row as it was before. */
	get isLost(): boolean {
		return this.later?.isLost ?? this.isOverwritten;
	}
}

/** Entries that tell of a write: whether it is there, and whether it is gone. */
export function newMarks(): string[] {
	return Array.from({ length: MARKS }, () => `mark ${crypto.randomUUID()}`);
}
