import { writeFile, mkdir } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { projectRoot } from '../sandbox/projectRoot';
import { FULL, SHORT, type Entry } from './plan';
import { Processes, type SandboxProcess } from './processes';
import { summaryOf, tableOf, type Sample } from './report';
import type { Seen, Targets } from './sandbox';
import { requestsOf } from './work';
import type { Measured } from './worker';

const say = (line: string) => process.stdout.write(`${line}\n`);

/** `npm run bench`: everything, several rounds. `npm run bench -- --short`: a little, once. */
async function main(): Promise<void> {
	const { values } = parseArgs({
		options: { short: { type: 'boolean' }, rounds: { type: 'string' } },
	});
	const sections = values.short ? SHORT : FULL;
	const rounds = Number(values.rounds ?? (values.short ? 1 : 5));
	const entries = sections.flatMap((section) => section.entries);
	const samples = new Map(entries.map((entry): [Entry, Sample[]] => [entry, []]));

	const processes = await Processes.prepare(say);
	const sandbox = processes.startSandbox();
	try {
		for (let round = 0; round < rounds; round++) {
			say(`Round ${round + 1} of ${rounds}`);
			// There and back, so that a machine that grows slower favours nobody.
			for (const entry of round % 2 === 0 ? entries : entries.toReversed()) {
				samples.get(entry)?.push(await measure(processes, sandbox, entry));
			}
		}
	} finally {
		sandbox.stop();
		await processes.stop();
	}

	const summaries = sections.map(({ name, entries: listed }) => ({
		name,
		entries: listed.map((entry) => summaryOf(entry, samples.get(entry) ?? [])),
	}));
	for (const { name, entries: listed } of summaries) say(`\n${name}\n\n${tableOf(listed)}`);
	if (values.short) return;
	const machine = { cpu: cpus()[0]?.model, cores: cpus().length };
	const result = { date: new Date().toISOString(), machine, rounds, sections: summaries };
	const folder = join(projectRoot, 'bench', 'results');
	await mkdir(folder, { recursive: true });
	await writeFile(join(folder, 'results.json'), `${JSON.stringify(result, null, '\t')}\n`);
}

/** One measurement; throws where not every request came, or one came twice. */
async function measure(
	processes: Processes,
	sandbox: SandboxProcess,
	{ contender, work }: Entry,
): Promise<Sample> {
	const targets = await sandbox.ask<Targets>({ prepare: work });
	const task = JSON.stringify({ contender, work, targets });
	const measured = await processes.result<Measured>('worker.js', task);
	const { cpuSeconds: sandboxCpuSeconds, ...seen } = await sandbox.ask<Seen>('tell');
	if (seen.requests !== requestsOf(work)) {
		throw new Error(`The service got ${seen.requests} requests, not ${requestsOf(work)}: ${task}`);
	}
	return { ...measured, ...seen, sandboxCpuSeconds };
}

main().catch((error: Error) => {
	process.stderr.write(`${error.stack}\n`);
	process.exitCode = 1;
});
