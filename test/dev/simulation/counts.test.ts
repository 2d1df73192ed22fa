import { expectNoBreach } from './property';

test('counts', async () => {
	const counts: Record<string, number> = {};
	const count = (name: string, times = 1) => (counts[name] = (counts[name] ?? 0) + times);
	const t = performance.now();
	await expectNoBreach(1, 300, ({ plan, seen, executions, memory }, excused) => {
		count('plans'); count('items', plan.items.length);
		count('executions', executions.length);
		count('requests', seen.length);
		count('delivered', seen.filter(({ accepted }) => accepted).length);
		for (const { invariant, excuse } of excused) count(`${invariant}, ${excuse}`);
		count('troubles', memory.troubles); count('stalls', memory.stalls);
		for (const { reports, thrown, status } of executions) {
			count(`status ${status}`);
			for (const { outcome } of reports) count(outcome);
			if (thrown?.outcome) count(`thrown ${thrown.outcome}`);
		}
	});
	process.stdout.write(JSON.stringify({ ...counts, seconds: (performance.now() - t) / 1000 }, null, 1));
}, 600_000);
