import type { Contender } from './contenders/contender';
import type { Target } from './target';
import { warmUpOf, type ContenderName, type Work } from './work';

export interface Task {
	contender: ContenderName;
	work: Work;
	/** A sandbox for the warm-up, and one for what is measured. */
	targets: Record<'warmUp' | 'measured', Target>;
}

export interface Measured {
	seconds: number;
	cpuSeconds: number;
	/** Bytes beyond what the warm-up took. */
	peakMemory: number;
}

/** One measurement, in a process of its own: peak memory is that of a process. */
async function measure({ contender, work, targets }: Task): Promise<Measured> {
	const { perform, stop } = await CONTENDERS[contender]();
	try {
		await perform(warmUpOf(work), targets.warmUp);
		const memory = peakMemory();
		const cpu = process.cpuUsage();
		const start = performance.now();
		const { items, bytes } = await perform(work, targets.measured);
		const seconds = (performance.now() - start) / 1000;
		const { user, system } = process.cpuUsage(cpu);

		const wanted = work.kind === 'download' ? work.items * work.bytes : 0;
		if (items !== work.items || bytes !== wanted) {
			throw new Error(
				`${items} items and ${bytes} bytes came out, not ${work.items} and ${wanted}`,
			);
		}
		return { seconds, cpuSeconds: (user + system) / 1e6, peakMemory: peakMemory() - memory };
	} finally {
		await stop();
	}
}

/** Each loads only what it needs itself. */
const CONTENDERS: Record<ContenderName, () => Promise<Contender>> = {
	workchat: async () => {
		const { engineContender } = await import('./contenders/engine');
		return await engineContender((await import('./contenders/workflows')).ourWorkflow);
	},
	httpRequest: async () => {
		const { engineContender } = await import('./contenders/engine');
		return await engineContender((await import('./contenders/workflows')).httpRequestWorkflow);
	},
	axios: async () => await (await import('./contenders/axios')).axiosContender(),
};

function peakMemory(): number {
	return process.resourceUsage().maxRSS * 1024;
}

measure(JSON.parse(process.argv[2] ?? '')).then(
	(measured) => process.stdout.write(JSON.stringify(measured)),
	(error: Error) => {
		process.stderr.write(`${error.stack}\n`);
		process.exitCode = 1;
	},
);
