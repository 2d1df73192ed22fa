import { selfSigned } from '../certificate';
import { samples } from '../sandbox/samples';
import { startSandbox, type Sandbox } from '../sandbox/server';
import { answerOrders } from './child';
import { Line } from './line';
import type { Target, Work } from './work';

/** What the service saw of a work. */
export interface Seen {
	requests: number;
	connections: number;
	mostInFlight: number;
	/** CPU time of this process since it was prepared. */
	cpuSeconds: number;
}

export type Order = { prepare: Work } | { tell: 'target' | 'seen' };

/** The sandbox has a process of its own, as it would take time and memory from what is measured. */
async function main(): Promise<void> {
	const sandbox = await startSandbox();
	const tls = selfSigned();
	const line = await Line.start(tls, Number(new URL(sandbox.url).port));
	const target: Target = {
		url: sandbox.url,
		farUrl: `https://127.0.0.1:${line.port}`,
		certificate: tls.cert,
		key: sandbox.key,
		file: sandbox.fieldsOf(samples.video),
	};
	let cpu = process.cpuUsage();
	answerOrders(async (order: Order) => {
		if ('tell' in order) return order.tell === 'seen' ? seenBy(sandbox, cpu) : target;
		prepare(sandbox, order.prepare);
		line.roundTrip = (order.prepare.kind === 'send' && order.prepare.roundTrip) || 0;
		cpu = process.cpuUsage();
		return {};
	});
}

function prepare(sandbox: Sandbox, work: Work): void {
	sandbox.reset();
	if (work.kind === 'download') {
		sandbox.answerDownloads({ as: work.as, content: work.bytes });
	} else if (work.latency > 0) {
		sandbox.misbehave({ kind: 'delay', milliseconds: work.latency }, { times: Infinity });
	}
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
