type Ending = () => Promise<unknown>;

const endings: Ending[] = [];

/** Calls back after all tests of the file; what began last ends first. */
export function atEnd(ending: Ending): void {
	endings.push(ending);
}

afterAll(async () => {
	const failures: unknown[] = [];
	for (const ending of endings.reverse()) await ending().catch((error) => failures.push(error));
	expect(failures).toEqual([]);
}, 180_000);
