/** The latest call for each object; resolves also if the call failed. */
const lastCalls = new WeakMap<object, Promise<unknown>>();

/** Runs calls for the same object one after another, in their order. */
export async function runExclusive<T>(object: object, call: () => Promise<T>): Promise<T> {
	const result = (lastCalls.get(object) ?? Promise.resolve()).then(async () => await call());
	const settled = result.catch(() => {});
	lastCalls.set(object, settled);
	return await result;
}
