type Ending = () => Promise<unknown>;

const endings: Ending[] = [];

/** Calls back after all tests of the file; what began last ends first. */
export function atEnd(ending: Ending): void {
	endings.push(ending);
}

afterAll(async () => {
	for (const ending of endings.reverse()) await ending();
}, 120_000);
