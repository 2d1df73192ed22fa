import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { cpus, release } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';

import { installN8n, type Installation } from '../n8n/installation';
import { projectRoot } from '../projectRoot';
import { aimsOf } from './aims';
import { measureCold } from './cold';
import { FULL, NOTES, SHORT, type Entry, type Section } from './plan';
import { plotOf } from './plot';
import { profileSending, profileTable } from './profile';
import { markdown, ratiosOf, summaryOf, tableOf, titleOf, type SectionSummary } from './report';
import { Stage, type Sample } from './stage';
import { NAMES } from './work';

const run = promisify(execFile);

const say = (text: string) => process.stdout.write(`${text}\n`);

/** `npm run bench`: everything, several rounds. `npm run bench -- --short`: a little, once. */
async function main(): Promise<void> {
	const { values } = parseArgs({
		options: { short: { type: 'boolean', default: false }, rounds: { type: 'string' } },
	});
	if (process.platform !== 'linux') throw new Error('Memory and CPU are read as Linux tells them');
	const installation = await installN8n(say);
	const rounds = Number(values.rounds ?? (values.short ? 1 : 3));
	if (values.short) {
		const [short] = await compare(SHORT, rounds, installation);
		say(`\n${ratiosOf(short?.entries ?? [])}`);
	} else {
		await everything(rounds, installation);
	}
}

async function everything(rounds: number, installation: Installation): Promise<void> {
	const sections = await compare(FULL, rounds, installation);
	say('Start and size');
	const cold = await measureCold(installation.env);
	say('Profile');
	const profiles = await profileSending(installation);
	const aims = aimsOf(sections, cold);

	for (const { name, entries } of sections) say(`\n## ${name}\n\n${tableOf(entries)}`);
	say(`\n## Where the time of sending goes\n\n${profileTable(profiles)}`);
	say(`\n## Start and size\n\n${JSON.stringify(cold)}`);
	const rows = aims.map(({ aim, reached, isMet }) => [aim, reached, isMet ? 'met' : 'missed']);
	say(`\n## Aims\n\n${markdown(['Aim', 'Reached', ''], rows)}`);

	say(`\n${NOTES.map((note) => `- ${note}`).join('\n')}`);

	const folder = join(projectRoot, 'dev', 'bench', 'results');
	await mkdir(folder, { recursive: true });
	const results = {
		...(await circumstances(installation)),
		rounds,
		aims,
		notes: NOTES,
		sections: sections.map(({ name, entries }) => ({ name, table: tableOf(entries).split('\n') })),
		profiles,
		cold,
	};
	await writeFile(join(folder, 'results.json'), `${JSON.stringify(results, null, '\t')}\n`);
	await writeFile(join(folder, 'send.svg'), plotOf(sections[0]?.entries ?? []));
}

/** The contenders take turns, so that a machine that grows slower favours nobody. */
async function compare(
	sections: Section[],
	rounds: number,
	installation: Installation,
): Promise<SectionSummary[]> {
	const samples = new Map<Entry, Sample[]>();
	for (let round = 0; round < rounds; round++) {
		for (const section of sections) {
			say(`Round ${round + 1} of ${rounds}: ${section.name}`);
			const stage = await Stage.open(installation);
			try {
				for (const entry of ordered(section, round)) {
					const sample = await stage.measure(entry);
					samples.set(entry, [...(samples.get(entry) ?? []), sample]);
					say(`  ${NAMES[entry.contender]}: ${titleOf(entry.work)}: ${sample.seconds} s`);
				}
			} finally {
				await stage.close();
			}
		}
	}
	return sections.map(({ name, groups }) => ({
		name,
		entries: groups.flat().map((entry) => summaryOf(entry, samples.get(entry) ?? [])),
	}));
}

/** There and back, so that nobody always comes after the same one. */
function ordered({ groups }: Section, round: number): Entry[] {
	return groups.flatMap((group) => (round % 2 === 0 ? group : group.toReversed()));
}

async function circumstances({ env }: Installation) {
	const versionOf = async (path: string): Promise<string> =>
		JSON.parse(await readFile(join(projectRoot, path, 'package.json'), 'utf8')).version;
	return {
		date: new Date().toISOString().slice(0, 10),
		machine: { cpu: cpus()[0]?.model, cores: cpus().length, linux: release() },
		versions: {
			package: await versionOf('.'),
			node: (await run('node', ['--version'], { env })).stdout.trim(),
			n8n: await versionOf('e2e/node_modules/n8n'),
			axios: await versionOf('node_modules/axios'),
		},
	};
}

main().catch((error: Error) => {
	process.stderr.write(`${error.stack}\n`);
	process.exit(1); // what still runs ends with this process
});
