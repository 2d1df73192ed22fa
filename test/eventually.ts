import { setTimeout as wait } from 'node:timers/promises';

/** Waits for something that has to come, for as long as a busy machine may need. */
export async function eventually(hasCome: () => boolean | Promise<boolean>): Promise<void> {
	const deadline = performance.now() + 10_000;
	while (!(await hasCome()) && performance.now() < deadline) await wait(5);
	expect(await hasCome()).toBe(true);
}
