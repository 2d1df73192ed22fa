/** The random numbers of a simulation: the same for the same seed. */
export class Chance {
	private state: number;

	/** @param about what the numbers are for: each purpose has a series of its own */
	constructor(seed: number, about: string) {
		this.state = seed;
		for (const character of about) this.state = Math.imul(this.state ^ character.charCodeAt(0), 31);
		for (let warmUp = 0; warmUp < 4; warmUp++) this.next();
	}

	/** From 0 up to 1, but never 1 (mulberry32). */
	readonly next = (): number => {
		this.state = (this.state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};

	happens(probability: number): boolean {
		return this.next() < probability;
	}
}
