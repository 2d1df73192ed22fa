const { writeSync } = require('node:fs');
const { parentPort } = require('node:worker_threads');

/**
 * A busy loop of microtasks lets no timer ring, and so no time limit of Jest's. This thread hears from
 * the tests every second, and which one begins. If they are silent for as long as that limit, it says
 * which one hangs, and ends the process: Jest then reports the file.
 */

/** Seconds, each of which this thread has seen: a computer that sleeps is not silent. */
const PATIENCE = 300;

let silence = 0;
let latest;

parentPort.on('message', (test) => {
	silence = 0;
	latest = test || latest;
});
setInterval(() => {
	if (++silence < PATIENCE) return;
	writeSync(2, `\nHangs, with a loop that lets no timer ring: ${latest}\n\n`);
	process.kill(process.pid, 'SIGKILL');
}, 1000);
