/** The latest call for each object, whatever came of it. */
const lastOf = new WeakMap<object, Promise<unknown>>();

/** Calls once the calls before it, for the same object, are over. */
export async function oneAfterAnother<T>(of: object, call: () => Promise<T>): Promise<T> {
	const result = (lastOf.get(of) ?? Promise.resolve()).then(async () => await call());
	const settled = result.catch(() => {});
	lastOf.set(of, settled);
	return await result;
}
