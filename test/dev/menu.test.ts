import { menu } from '../../dev/sandbox/menu';
import { samples } from '../../dev/sandbox/samples';
import { DOWNLOAD, recipients, resultOf, SEND, useBench, workflowOf } from '../support/setup';

const bench = useBench();

/** Sends one message, whose first call misbehaves; gives what the node makes of it. */
async function outcomeOf(told: (typeof menu)[number]['told'], maxTries: number): Promise<string> {
	const quick = told.kind === 'delay' ? { ...told, milliseconds: 50 } : told;
	bench.sandbox.misbehave('retryAfter' in quick ? { ...quick, retryAfter: '0' } : quick);
	const isSilent = told.kind === 'hang' || told.kind === 'stall';
	const parameters = { ...SEND, options: { maxTries, timeout: isSilent ? 500 : 30_000 } };
	const settings = { onError: 'continueRegularOutput' as const };
	const run = await bench.engine.run(workflowOf(recipients(1), parameters, settings));
	const { outcome = 'sent' } = (resultOf(run).items[0]?.json.error ?? {}) as { outcome?: string };
	return outcome;
}

describe("the sandbox's page says what the node makes of a message", () => {
	test.each(menu.filter(({ on }) => !on))(
		'$name: $outcome',
		async ({ told, outcome, isRetried, arrives }) => {
			expect(await outcomeOf(told, 1)).toBe(outcome);
			expect(bench.sandbox.messages).toHaveLength(arrives ? 1 : 0);
			bench.sandbox.reset();
			expect(await outcomeOf(told, 2)).toBe(isRetried ? 'sent' : outcome);
			expect(bench.sandbox.requests).toHaveLength(isRetried ? 2 : 1);
		},
	);
});

test.each(menu.filter(({ on }) => on))('$name: the file is not there', async ({ told, on }) => {
	bench.sandbox.misbehave(told, { on });
	const fields = { ...bench.sandbox.fieldsOf(samples.voice) };
	const run = async () => resultOf(await bench.engine.run(workflowOf([fields], DOWNLOAD)));
	expect((await run()).error?.description).toContain('The link may have expired');
	expect((await run()).items[0]?.binary).toBeDefined();
});
