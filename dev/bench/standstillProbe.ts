import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Is loaded into a process before all else (`node --require`), and writes down how long its event
 * loop stands still: for each time its end, of the wall clock, and its length, in milliseconds.
 */

/** Milliseconds between two looks. */
const INTERVAL = 2;
/** Milliseconds; shorter ones nobody notices. */
const SHORTEST = 15;

const file = join(process.env.STANDSTILL_FOLDER ?? '.', String(process.pid));
let last = performance.now();
setInterval(() => {
	const now = performance.now();
	const length = now - last - INTERVAL;
	if (length >= SHORTEST) appendFileSync(file, `${Date.now()} ${length.toFixed(0)}\n`);
	last = performance.now();
}, INTERVAL).unref();
