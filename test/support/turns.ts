import { setTimeout as wait } from 'node:timers/promises';

/**
 * Time in turns of 10 ms instead of by a clock: where other programs hold the processor, a turn
 * takes longer. So nothing is late only because the machine is busy.
 */
const TURN = 10;

/** Waits for something that has to come, for a minute or more: other programs may need that to start. */
export async function eventually(
	hasCome: () => boolean | Promise<boolean>,
	turns = 6000,
): Promise<void> {
	for (let turn = 0; turn < turns && !(await hasCome()); turn++) await wait(TURN);
	expect(await hasCome()).toBe(true);
}

/** The same result, or an error after so many turns. */
export async function within<T>(turns: number, work: Promise<T>): Promise<T> {
	let isOver = false;
	const end = () => void (isOver = true);
	work.then(end, end);
	await eventually(() => isOver, turns);
	return await work;
}

/**
 * The monotonic clock stands still from now on while this process gets no turn, so that what has to
 * come in time does not fail because the machine is too busy to let it come.
 */
export function stopClockWhileBusy(): void {
	const clock = performance.now.bind(performance);
	let last = clock();
	let lost = 0;
	// Each reads the clock once: between two looks at it, another program may hold the processor.
	const lostBy = (now: number) => Math.max(0, now - last - 5 * TURN);
	setInterval(() => {
		const now = clock();
		lost += lostBy(now);
		last = now;
	}, TURN).unref();
	jest.spyOn(performance, 'now').mockImplementation(() => {
		const now = clock();
		return now - lost - lostBy(now);
	});
}
