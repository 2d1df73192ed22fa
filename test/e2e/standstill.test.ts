import { setTimeout as wait } from 'node:timers/promises';

import { recipients, SEND, TRIGGER, VIDEO, workflowOf } from '../../dev/engine/workflows';
import { useN8n } from './setup';

const ITEMS = 5000;

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

/** Asks n8n again and again whether it lives, 50 ms after each answer; counts the answers. */
async function answersWhile(goesOn: (answers: number) => boolean): Promise<number> {
	let answers = 0;
	for (let tries = 0; goesOn(answers); tries++) {
		if (tries > MOST_TRIES) throw new Error(`It goes on after ${answers} answers of n8n`);
		// An idle connection may be closed just when it is used again: that is no answer.
		const answer = await fetch(`${here.n8n.url}/healthz`).catch(() => undefined);
		await answer?.text();
		if (answer) answers++;
		await wait(50);
	}
	return answers;
}

const MINUTES = 60_000;
const MOST_TRIES = 3000;
/** More than come before the reading begins; while n8n stands still, none comes. */
const MANY = 60;

/** What a test leaves running would be in the way of the next. */
let begun: string;
afterEach(async () => await here.n8n.stop(begun).catch(() => undefined), MINUTES);

test(
	'n8n answers while 5,000 items are read, and the run can be cancelled',
	async () => {
		begun = await start();
		await answersWhile((answers) => answers < MANY);
		// Nothing is sent before all items are read and found to be right.
		expect(here.sandbox.requests).toHaveLength(0);
		expect((await here.n8n.stop(begun)).status).toBe('canceled');
		await answersWhile((answers) => answers < MANY);
		expect(here.sandbox.requests).toHaveLength(0);
	},
	4 * MINUTES,
);

test(
	'n8n answers while 5,000 items are read and sent',
	async () => {
		begun = await start();
		const { messages } = here.sandbox;
		expect(await answersWhile(() => messages.length === 0)).toBeGreaterThan(MANY);
		let before = 0;
		let most = 0;
		await answersWhile(() => {
			most = Math.max(most, messages.length - before);
			before = messages.length;
			return before < ITEMS;
		});
		// Some 45 between two answers, however fast the machine is.
		expect(most).toBeLessThan(ITEMS / 10);
		expect(new Set(messages.map(({ toId }) => toId)).size).toBe(ITEMS);
	},
	4 * MINUTES,
);
