import { samples } from '../sandbox/samples';
import { startSandbox, type Sandbox } from '../sandbox/server';
import type { Target } from './target';
import { warmUpOf, type Work } from './work';

export interface Targets {
	warmUp: Target;
	measured: Target;
}

/** What the service saw of a measurement. */
export interface Seen {
	requests: number;
	connections: number;
	mostInFlight: number;
	/** CPU time of this process since it was prepared, warm-up included. */
	cpuSeconds: number;
}

export type Order = { prepare: Work } | 'tell';

/** Sandboxes in a process of their own, which prepares them and tells what they saw, as ordered. */
async function main(): Promise<void> {
	const [warmUp, measured] = [await startSandbox(), await startSandbox()];
	let cpu = process.cpuUsage();
	process.on('message', (order: Order) => {
		if (order === 'tell') return process.send?.(seenBy(measured, cpu));
		prepare(warmUp, warmUpOf(order.prepare));
		prepare(measured, order.prepare);
		cpu = process.cpuUsage();
		return process.send?.({ warmUp: targetOf(warmUp), measured: targetOf(measured) });
	});
	process.once('disconnect', () => process.exit());
}

function prepare(sandbox: Sandbox, work: Work): void {
	sandbox.reset();
	if (work.kind === 'download') {
		sandbox.answerDownloads({ as: work.as, content: work.bytes });
	} else if (work.latency > 0) {
		sandbox.misbehave({ kind: 'delay', milliseconds: work.latency }, { times: Infinity });
	}
}

function targetOf(sandbox: Sandbox): Target {
	const { url, key } = sandbox;
	return { url, key, file: sandbox.fieldsOf(samples.video) };
}

function seenBy({ requests }: Sandbox, cpuBefore: NodeJS.CpuUsage): Seen {
	const { user, system } = process.cpuUsage(cpuBefore);
	return {
		requests: requests.length,
		connections: new Set(requests.map(({ connection }) => connection)).size,
		mostInFlight: mostInFlight(requests),
		cpuSeconds: (user + system) / 1e6,
	};
}

function mostInFlight(requests: Sandbox['requests']): number {
	const changes = requests.flatMap(({ startedAt, endedAt = Infinity }) => [
		{ at: startedAt, by: 1 },
		{ at: endedAt, by: -1 },
	]);
	let inFlight = 0;
	let most = 0;
	for (const { by } of changes.sort((a, b) => a.at - b.at || a.by - b.by)) {
		inFlight += by;
		most = Math.max(most, inFlight);
	}
	return most;
}

void main();
