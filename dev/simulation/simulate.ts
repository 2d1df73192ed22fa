import { Draw } from '../campaign/draw';
import { judge, type Finding } from './oracle';
import { drawPlan, type Plan } from './plan';
import { campaignOf, World } from './world';

/** By what made it hard to keep every promise. */
export type Group = 'plain' | 'resend' | 'a process stood still' | 'a call took long';

export interface Simulated {
	plan: Plan;
	world: World;
	group: Group;
	findings: Finding[];
	/** Those that break a promise, and not only what the group explains. */
	broken: Finding[];
}

/**
 * Draws a plan, lets it happen, and ends with an execution when all is well again.
 * @param watch sees the world before
 */
export async function simulate(seed: number, watch?: (world: World) => void): Promise<Simulated> {
	const plan = drawPlan(new Draw(seed, 0));
	const world = new World(plan, seed);
	watch?.(world);
	await world.happen();
	const calm = { at: 0, process: 0, stopsOnError: false, resends: false, maxConcurrency: 10 };
	const last = [];
	const latest = new Map(
		[...world.runs.entries()].map(([index, run]) => [campaignOf(world, run), index]),
	);
	for (const index of latest.values()) {
		const { status, planned } = world.runs[index]!;
		const { key } = planned;
		if (plan.isKeyed) last.push(await world.end({ ...calm, key }));
		else if (/error|crashed/.test(status))
			last.push(await world.end({ ...calm, key, retryOf: index }));
	}
	const findings = judge(world, last);
	const group = groupOf(world);
	return { plan, world, group, findings, broken: findings.filter(isBroken(group)) };
}

function groupOf({ plan, memory }: World): Group {
	if (plan.pauses.length > 0) return 'a process stood still';
	if (memory.stalls > 0) return 'a call took long';
	return plan.runs.some(({ resends }) => resends) ? 'resend' : 'plain';
}

const isBroken =
	(group: Group) =>
	({ kind }: Finding): boolean => {
		if (kind === 'twice, as it said' || kind === 'twice, resent elsewhere') return false;
		const isExplained = kind === 'twice' || kind === 'needless doubt';
		return group === 'plain' || group === 'resend' || !isExplained;
	};
