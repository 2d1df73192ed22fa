import fc from 'fast-check';
import type { IRun } from 'n8n-workflow';

import { DeduplicationStandIn, MemoryRows } from '../dev/engine/deduplicationStandIn';
import { json, useOwnServer } from './ownServer';
import { resultOf, SEND, workflowOf } from './setup';
import { thoroughly } from './thorough';

/**
 * Generated plans of several executions over one list: with a Send Once Key, or Retries of one failed
 * execution, one after the other or at the same moment, on a store with n8n's races.
 */

const own = useOwnServer();

const FATES = ['sent', 'refused', 'busy', 'lost', 'lost, but done', 'crashed'] as const;
type Fate = (typeof FATES)[number];
const IN_DOUBT: Fate[] = ['lost', 'lost, but done', 'crashed'];

const plan = fc.record({
	isKeyed: fc.boolean(),
	/** Of each row, the number of its recipient: with a key, some come twice. */
	rows: fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 2, maxLength: 12 }),
	/** Of each recipient, what becomes of its requests; after these, all is well. */
	fates: fc.array(fc.array(fc.constantFrom(...FATES), { maxLength: 4 }), {
		minLength: 12,
		maxLength: 12,
	}),
	executions: fc.integer({ min: 1, max: 4 }),
	isTogether: fc.boolean(),
	onError: fc.constantFrom('stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'),
	options: fc.record({
		maxConcurrency: fc.integer({ min: 1, max: 6 }),
		maxTries: fc.integer({ min: 1, max: 2 }),
		resendUnknown: fc.boolean(),
	}),
	/** Milliseconds. */
	latency: fc.constantFrom(0, 1, 5),
} as const);
type Plan = typeof plan extends fc.Arbitrary<infer T> ? T : never;

interface Request {
	toId: string;
	fate: Fate;
}

const RUNS = Number(process.env.PLANS ?? thoroughly(100, 10));

test('never twice over several executions, and never a false word', async () => {
	let needless = 0;
	let doubtful = 0;
	const property = fc.asyncProperty(plan, async (given) => {
		const { requests, runs } = await carryOut(given);
		expectOnce(given, requests);
		const outcomes = runs.flatMap((run) => outcomesOf(run));
		for (const { toId, outcome, text } of outcomes) {
			const fates = requests.filter((request) => request.toId === toId).map(({ fate }) => fate);
			const why = `${toId} (${fates.join('; ')}): ${text}`;
			if (outcome === 'sent') expect([why, fates.includes('sent')]).toEqual([why, true]);
			if (outcome === 'rejected') {
				const isTrue = fates.some((fate) => fate === 'refused' || fate === 'busy');
				expect([why, isTrue]).toEqual([why, true]);
			}
			// Nothing was wrong with any row, and the service can be reached.
			expect([why, outcome]).not.toEqual([why, 'notSent']);
			if (outcome !== 'unknown') continue;
			doubtful++;
			const isTrue = fates.some((fate) => IN_DOUBT.includes(fate));
			// In a Retry, "another one sent it" is in doubt, too: its result stands elsewhere.
			const ofAnother = !given.isKeyed && fates.includes('sent');
			if (!isTrue && !ofAnother && !given.isTogether) throw new Error(`No doubt about ${why}`);
			if (!isTrue && !ofAnother) needless++;
		}
	});
	await fc.assert(property, { numRuns: RUNS, endOnFailure: true });
	process.stdout.write(`${RUNS} plans: ${doubtful} in doubt, ${needless} of them needlessly\n`);
}, 600_000);

async function carryOut({ rows, fates, latency, isKeyed, ...given }: Plan) {
	const requests: Request[] = [];
	const asked = new Map<string, number>();
	own.answer = ({ body }, response) => {
		const toId = String(body.toId);
		const count = asked.get(toId) ?? 0;
		asked.set(toId, count + 1);
		const fate = fates[Number(toId.slice(9)) - 1]?.[count] ?? 'sent';
		requests.push({ toId, fate });
		if (fate === 'lost' || fate === 'lost, but done') return void response.destroy();
		if (fate === 'crashed') return void response.writeHead(500).end();
		if (fate === 'busy') response.setHeader('retry-after', '0');
		if (fate === 'refused') return json(response, { ok: false, code: 7, message: 'no' });
		json(
			response,
			{ ok: fate === 'sent', code: fate === 'sent' ? 0 : 9 },
			fate === 'sent' ? 200 : 429,
		);
	};
	own.engine.deduplicator = new DeduplicationStandIn(new MemoryRows(() => Math.random() * latency));
	const items = rows.map((recipient, index) => ({
		// Without a key, two rows for one recipient are two messages.
		toId: `customer-${isKeyed ? recipient : index + 1}`,
	}));
	const options = { ...given.options, ...(isKeyed && { sendOnceKey: 'spring-offer' }) };
	const workflow = workflowOf(items, { ...SEND, options }, { onError: given.onError });
	const { engine } = own;
	const first = await engine.run(
		isKeyed ? workflow : workflowOf(items, { ...SEND, options }, { onError: 'stopWorkflow' }),
	);
	const again = async () =>
		isKeyed ? await engine.run(workflow) : await engine.retry(workflow, first);
	const runs: IRun[] = [first];
	if (!isKeyed && first.status !== 'error') return { requests, runs };
	if (given.isTogether) {
		runs.push(...(await Promise.all(Array.from({ length: given.executions }, again))));
	} else {
		for (let count = 0; count < given.executions; count++) runs.push(await again());
	}
	return { requests, runs };
}

/** What was sent, or may have been, is not asked for again, unless a message in doubt may be. */
function expectOnce({ options, isTogether }: Plan, requests: Request[]): void {
	for (const toId of new Set(requests.map((request) => request.toId))) {
		const fates = requests.filter((request) => request.toId === toId).map(({ fate }) => fate);
		const last = fates.findIndex(
			(fate) => fate === 'sent' || (IN_DOUBT.includes(fate) && !options.resendUnknown),
		);
		// A message in doubt is sent again also while another execution does so.
		if (options.resendUnknown && isTogether) continue;
		if (last >= 0) expect([toId, fates]).toEqual([toId, fates.slice(0, last + 1)]);
	}
}

interface Said {
	toId: string;
	outcome: string;
	text: string;
}

/** What an execution says of its items; where it stopped, of the one that stopped it. */
function outcomesOf(run: IRun): Said[] {
	const { items, errorItems, error } = resultOf(run);
	const inputs = run.data.resultData.runData.Split?.[0]?.data?.main?.[0] ?? [];
	const toIdOf = (index: unknown) => String(inputs[Number(index)]?.json.toId);
	if (error) {
		// What n8n remembers is no response of the service: that error has no outcome beside its words.
		const isRemembered = /^(Another retry of|A message with the Send Once Key)/.test(error.message);
		const { outcome = isRemembered ? 'unknown' : 'notSent' } =
			(error as unknown as { errorResponse?: { outcome?: string } }).errorResponse ?? {};
		const text = `${error.message} ${error.description}`;
		return [{ toId: toIdOf(error.context?.itemIndex), outcome, text }];
	}
	return [...items, ...errorItems].map(({ json: said, pairedItem }) => ({
		toId: toIdOf((pairedItem as { item?: number }).item),
		outcome: (said.error as { outcome?: string } | undefined)?.outcome ?? 'sent',
		text: JSON.stringify(said),
	}));
}
