import { setTimeout as wait } from 'node:timers/promises';

import { recipients, SEND, TRIGGER, VIDEO, workflowOf } from '../../dev/engine/workflows';
import { useN8n } from './setup';

const ITEMS = 5000;
/** In milliseconds. n8n's own work on so many items takes some 700 in one go. */
const LONGEST_SILENCE = 1500;

const here = useN8n();

/** Starts a run whose 45,000 fields are expressions, each of some 0.4 ms in n8n's isolate. */
async function start(): Promise<string> {
	const fields = Object.keys(VIDEO).map((name) => [name, `={{ $json.${name} }}`]);
	const parameters = {
		...SEND,
		specifyFeedVideo: 'fields',
		...(Object.fromEntries(fields) as typeof VIDEO),
		options: { maxConcurrency: 50 },
	};
	const items = recipients(ITEMS).map((item) => ({ ...item, ...VIDEO }));
	const { id } = await here.n8n.addWorkflow(workflowOf(items, parameters));
	return await here.n8n.begin(id, TRIGGER);
}

/** Asks n8n every 50 ms whether it lives; gives the longest time without an answer, in ms. */
async function longestSilenceUntil(isOver: () => boolean): Promise<number> {
	let longest = 0;
	let last = performance.now();
	while (!isOver()) {
		// An idle connection may be closed just when it is used again: that is no answer.
		const answer = await fetch(`${here.n8n.url}/healthz`).catch(() => undefined);
		await answer?.text();
		longest = Math.max(longest, performance.now() - last);
		if (answer) last = performance.now();
		await wait(50);
	}
	process.stdout.write(`Longest silence of n8n: ${longest.toFixed(0)} ms\n`);
	return longest;
}

const MINUTES = 60_000;

/** What a test leaves running would be in the way of the next. */
let begun: string;
afterEach(async () => await here.n8n.stop(begun).catch(() => undefined), MINUTES);

test(
	'n8n answers while 5,000 items are read, and the run can be cancelled',
	async () => {
		begun = await start();
		const started = performance.now();
		const reading = await longestSilenceUntil(() => performance.now() - started > 3000);
		expect(reading).toBeLessThan(LONGEST_SILENCE);
		// Nothing is sent before all items are read and found to be right.
		expect(here.sandbox.requests).toHaveLength(0);

		const asked = performance.now();
		const { status } = await here.n8n.stop(begun);
		expect(performance.now() - asked).toBeLessThan(LONGEST_SILENCE);
		expect(status).toBe('canceled');
		const after = await longestSilenceUntil(() => performance.now() - asked > 5000);
		expect(after).toBeLessThan(LONGEST_SILENCE);
		expect(here.sandbox.requests).toHaveLength(0);
	},
	4 * MINUTES,
);

test(
	'n8n answers while 5,000 items are read and sent',
	async () => {
		begun = await start();
		const { messages } = here.sandbox;
		const silence = await longestSilenceUntil(() => messages.length >= ITEMS);
		expect(silence).toBeLessThan(LONGEST_SILENCE);
		expect(new Set(messages.map(({ toId }) => toId)).size).toBe(ITEMS);
	},
	4 * MINUTES,
);
