import { mkdir, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { installN8n } from '../e2e/installation';
import { projectRoot } from '../sandbox/projectRoot';
import { FULL, SHORT, type Entry, type Section } from './plan';
import { ratiosOf, summaryOf, tableOf, type Summary } from './report';
import { Stage, type Sample } from './stage';

const say = (line: string) => process.stdout.write(`${line}\n`);

/** `npm run bench`: everything, several rounds. `npm run bench -- --short`: a little, once. */
async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			short: { type: 'boolean' },
			rounds: { type: 'string' },
			section: { type: 'string' },
		},
	});
	const installation = await installN8n(say);
	const rounds = Number(values.rounds ?? (values.short ? 1 : 3));
	const sections = (values.short ? SHORT : FULL).filter(
		({ name }) => !values.section || name === values.section,
	);
	const samples = new Map<Entry, Sample[]>();
	for (let round = 0; round < rounds; round++) {
		for (const section of sections) {
			say(`Round ${round + 1} of ${rounds}: ${section.name}`);
			const stage = await Stage.open(installation);
			try {
				for (const entry of ordered(section, round)) {
					const sample = await stage.measure(entry);
					samples.set(entry, [...(samples.get(entry) ?? []), sample]);
				}
			} finally {
				await stage.close();
			}
		}
	}
	const summaries = sections.map(({ name, groups }) => ({
		name,
		entries: groups.flat().map((entry) => summaryOf(entry, samples.get(entry) ?? [])),
	}));
	for (const { name, entries } of summaries) say(`\n${name}\n\n${tableOf(entries)}`);
	if (values.short) for (const { entries } of summaries) say(`\n${ratiosOf(entries)}`);
}

/** There and back, so that nobody always comes after the same one. */
function ordered({ groups }: Section, round: number): Entry[] {
	return groups.flatMap((group) => (round % 2 === 0 ? group : group.toReversed()));
}

main().catch((error: Error) => {
	process.stderr.write(`${error.stack}\n`);
	process.exitCode = 1;
});
