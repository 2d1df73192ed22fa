import { campaignOf, rootOf, type Request, type Run, type World } from './world';

/** What may not be, in a sentence, by the kind of it. */
export interface Finding {
	kind:
		| 'twice'
		| 'twice, as it said'
		/** By Resend if Unknown, beside another worker that lets go of it. */
		| 'twice, resent elsewhere'
		| 'lost'
		| 'false word'
		| 'needless doubt'
		| 'no end';
	text: string;
}

/** Milliseconds from a stop until the node has to be over. */
const LONGEST_STOP = 5000;

const isAccepted = ({ fate }: Request) => /accepted/.test(fate);
const toIdOf = (recipient: number) => `customer-${recipient}`;

/** Whether what happened keeps every promise. */
export function judge(world: World, last: Run[]): Finding[] {
	return [...ends(world), ...twice(world), ...words(world), ...afterwards(world, last)];
}

function requestsOf(world: World, campaign: string, toId: string): Request[] {
	return world.requests.filter(
		(request) => request.toId === toId && campaignOf(world, request.run) === campaign,
	);
}

function rowsOf({ plan }: World, toId: string): number {
	return plan.isKeyed ? 1 : plan.recipients.filter((one) => toIdOf(one) === toId).length;
}

function ends({ runs, plan }: World): Finding[] {
	return runs.flatMap((run) => {
		if (run.status === 'running') return [{ kind: 'no end' as const, text: `run ${run.id}` }];
		const { stoppedAt = Infinity, endedAt = 0 } = run;
		return endedAt - stoppedAt > LONGEST_STOP && plan.pauses.length === 0
			? [
					{
						kind: 'no end' as const,
						text: `run ${run.id} ${endedAt - stoppedAt} ms after the stop`,
					},
				]
			: [];
	});
}

function twice(world: World): Finding[] {
	if (world.plan.runs.some(({ resends }) => resends)) return [];
	const campaigns = new Set(world.runs.map((run) => campaignOf(world, run)));
	const toIds = new Set(world.requests.map(({ toId }) => toId));
	return [...campaigns].flatMap((campaign) =>
		[...toIds].flatMap((toId): Finding[] => {
			const accepted = requestsOf(world, campaign, toId).filter(isAccepted);
			if (accepted.length <= rowsOf(world, toId)) return [];
			const who = accepted.map(({ run, at }) => `${run.id} at ${at.toFixed()}`).join(', ');
			const isTold = accepted.some(({ run }) => run.isUnguarded);
			return [{ kind: isTold ? 'twice, as it said' : 'twice', text: `${toId} by ${who}` }];
		}),
	);
}

function words(world: World): Finding[] {
	return world.runs.flatMap((run) => {
		const sent = new Map<string, number>();
		return [...run.words].flatMap(([itemIndex, { outcome, text }]): Finding[] => {
			const toId = toIdOf(world.plan.recipients[itemIndex] ?? NaN);
			const requests = requestsOf(world, campaignOf(world, run), toId);
			const where = `run ${run.id}, ${toId}: ${outcome} ${text}`;
			const accepted = requests.filter(isAccepted).length;
			if (outcome === 'sent') sent.set(toId, (sent.get(toId) ?? 0) + 1);
			const isFalse = {
				sent: (sent.get(toId) ?? 0) > accepted,
				skipped: accepted === 0,
				rejected: !requests.some(({ fate, run: by }) => by === run && /refused|busy/.test(fate)),
				notSent: world.memory.troubles + world.plan.pauses.length === 0 && !text.includes('UNIQUE'),
				unknown: false,
			}[outcome];
			if (isFalse) return [{ kind: 'false word', text: where }];
			if (outcome !== 'unknown' || mayDoubt(world, campaignOf(world, run), toId, run)) return [];
			return [{ kind: 'needless doubt', text: where }];
		});
	});
}

/** Whether something happened that leaves it open whether a message was sent. */
function mayDoubt(world: World, campaign: string, toId: string, run?: Run): boolean {
	const { plan, memory, runs } = world;
	if (plan.kills.length + memory.troubles > 0) return true;
	const requests = requestsOf(world, campaign, toId);
	if (requests.some(({ fate }) => /lost/.test(fate))) return true;
	if (requests.some(({ run: by }) => by.status === 'canceled')) return true;
	const byAnother = requests.some((request) => isAccepted(request) && request.run !== run);
	if (run && !plan.isKeyed && byAnother) return true;
	// Of two that claim it at the same moment, both may give way.
	const rivals = runs.filter((one) => campaignOf(world, one) === campaign);
	return rivals.some((one, index) => rivals.slice(index + 1).some((other) => overlap(one, other)));
}

function overlap(one: Run, other: Run): boolean {
	const began = (run: Run) => run.startedAt ?? Infinity;
	const isOver = (run: Run) => (run.endedAt ?? Infinity) + 2000;
	return began(one) < isOver(other) && began(other) < isOver(one);
}

/** Of a message that goes out again though it was called sent. */
function repetitionOf({ plan, runs }: World): Finding['kind'] {
	if (runs.some(({ isUnguarded }) => isUnguarded)) return 'twice, as it said';
	const isResent = plan.runs.some(({ resends }) => resends);
	return isResent && plan.processes > 1 ? 'twice, resent elsewhere' : 'twice';
}

/** When all is well again: what was not sent is, and what was, is known to be. */
function afterwards(world: World, last: Run[]): Finding[] {
	return last.flatMap((run) => {
		const campaign = campaignOf(world, run);
		const first = world.plan.isKeyed ? undefined : rootOf(run);
		const before = world.runs.filter(
			(other) => !last.includes(other) && campaignOf(world, other) === campaign,
		);
		const mayBeOpen = (toId: string) => mayDoubt(world, campaign, toId, first);
		return [...new Set(world.plan.recipients.map(toIdOf))].flatMap((toId): Finding[] => {
			const indexes = [...world.plan.recipients.keys()].filter(
				(index) => toIdOf(world.plan.recipients[index]!) === toId,
			);
			const said = indexes.map((index) => run.words.get(index)?.outcome ?? 'nothing');
			const accepted = requestsOf(world, campaign, toId).filter(isAccepted).length;
			const text = `${toId} in the end: ${said.join(', ')}; accepted ${accepted}`;
			const isToldSent = ({ words: said }: Run) =>
				indexes.some((index) => said.get(index)?.outcome === 'sent');
			const isAgain = world.requests.some(
				(request) => request.run === run && request.toId === toId,
			);
			if (isAgain && rowsOf(world, toId) === 1 && before.some(isToldSent))
				return [{ kind: repetitionOf(world), text }];
			if (said.some((outcome) => !/sent|skipped|unknown/.test(outcome)))
				return [{ kind: 'false word', text }];
			if (accepted >= rowsOf(world, toId)) {
				const isUnknown = world.plan.isKeyed && said.includes('unknown');
				return isUnknown && !mayBeOpen(toId) ? [{ kind: 'needless doubt', text }] : [];
			}
			if (said.includes('unknown')) {
				return mayBeOpen(toId) ? [] : [{ kind: 'needless doubt', text }];
			}
			return [{ kind: 'lost', text }];
		});
	});
}
