import { sleep } from 'n8n-workflow';

import type { Call } from '../call';
import type { Failure } from '../failure';
import type { StreamReply } from '../http';
import { contentFailure } from './contentFailure';

/** n8n's `sleep` cannot be cancelled; in short slices the watch ends soon after the transfer. */
const LONGEST_WAIT = 1000;
const INTERRUPTED = { outcome: 'unknown', transient: true } as const;

/** The chunks of a body. Where it breaks off, or none comes for `timeout` milliseconds, a {@link Failure}. */
export async function* neverStalled(
	{ body, abort }: StreamReply,
	timeout: number,
	call: Call,
): AsyncGenerator<Buffer> {
	const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
	const watch: Watch = { since: Date.now(), isOver: false, stalled: () => {} };
	void watchForStall(watch, timeout);
	let isComplete = false;
	try {
		for (;;) {
			// Not a race against one long promise: that would keep every chunk in memory.
			const { done, value } = await new Promise<IteratorResult<Buffer>>((resolve, reject) => {
				watch.stalled = reject;
				chunks.next().then(resolve, reject);
			});
			isComplete = done === true;
			if (isComplete) return;
			watch.since = Infinity; // Time that the consumer takes is no stall.
			yield value as Buffer;
			watch.since = Date.now();
		}
	} catch {
		// An idle socket may be closed before the watch goes off.
		const isStall = Date.now() - watch.since >= timeout * 0.9;
		throw isStall ? stallFailure(timeout, call) : brokenOff(call);
	} finally {
		watch.isOver = true;
		if (!isComplete) abort();
	}
}

interface Watch {
	/** When the wait for a chunk began. */
	since: number;
	isOver: boolean;
	/** Ends the wait for a chunk. */
	stalled(): void;
}

async function watchForStall(watch: Watch, timeout: number): Promise<void> {
	while (!watch.isOver) {
		const rest = watch.since + timeout - Date.now();
		if (rest <= 0) return watch.stalled();
		await sleep(Math.min(rest, LONGEST_WAIT));
	}
}

function stallFailure(timeout: number, call: Call): Failure {
	return contentFailure(
		call,
		`stopped in the middle of its answer: no byte came for ${timeout / 1000} s`,
		'Try again, or raise the Timeout option.',
		INTERRUPTED,
	);
}

function brokenOff(call: Call): Failure {
	return contentFailure(call, 'broke off in the middle of its answer', 'Try again.', INTERRUPTED);
}
