/** Random choices that the same seed and number repeat. */
export class Draw {
	private state: number;

	constructor(seed: number, number: number) {
		this.state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(number + 1, 0xc2b2ae35);
		for (let warmUp = 0; warmUp < 4; warmUp++) this.next();
	}

	/** From 0 up to 1, but never 1 (mulberry32). */
	next(): number {
		this.state = (this.state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	}

	/** Both bounds are possible. */
	integer(least: number, most: number): number {
		return least + Math.floor(this.next() * (most - least + 1));
	}

	chance(probability: number): boolean {
		return this.next() < probability;
	}

	pick<T>(choices: readonly T[]): T {
		return choices[Math.floor(this.next() * choices.length)] as T;
	}

	/** Each choice as often as its weight says. */
	weighted<T>(choices: ReadonlyArray<readonly [weight: number, choice: T]>): T {
		let rest = this.next() * choices.reduce((sum, [weight]) => sum + weight, 0);
		for (const [weight, choice] of choices) {
			rest -= weight;
			if (rest < 0) return choice;
		}
		throw new Error('There is nothing to choose from');
	}
}
