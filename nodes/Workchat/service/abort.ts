/** Callbacks by signal: one listener of ours for them all, as Node warns from the eleventh on. */
const callbacksOf = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls back once `signal` aborts, at once if it has.
 * @returns ends the wait
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
	if (!signal) return () => {};
	if (signal.aborted) {
		callback();
		return () => {};
	}
	const callbacks = callbacksOf.get(signal) ?? listenTo(signal);
	callbacks.add(callback);
	return () => callbacks.delete(callback);
}

function listenTo(signal: AbortSignal): Set<() => void> {
	const callbacks = new Set<() => void>();
	callbacksOf.set(signal, callbacks);
	signal.addEventListener('abort', () => callbacks.forEach((callback) => callback()), {
		once: true,
	});
	return callbacks;
}
