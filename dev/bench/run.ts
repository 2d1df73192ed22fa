import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { cpus, release } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';

import { installN8n, type Installation } from '../n8n/installation';
import { projectRoot } from '../projectRoot';
import { aimsOf, coldAims, type Aim } from './aims';
import { measureCold } from './cold';
import { FULL, SHORT, type Entry, type Section } from './plan';
import { plotOf } from './plot';
import { profileSending, profileTable } from './profile';
import { markdown, ratiosOf, summaryOf, tableOf, titleOf, type SectionSummary } from './report';
import { Stage, type Sample } from './stage';
import { NAMES, type ContenderName } from './work';

const run = promisify(execFile);

const say = (text: string) => process.stdout.write(`${text}\n`);

const RESULTS = join(projectRoot, 'dev', 'bench', 'results');

/**
 * `npm run bench`: everything, several rounds. `-- --short`: a little, once. `-- --only Campaign`: a
 * section, or several; the results of the others stay.
 */
async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			short: { type: 'boolean', default: false },
			only: { type: 'string', multiple: true },
			rounds: { type: 'string' },
		},
	});
	if (process.platform !== 'linux') throw new Error('Memory and CPU are read as Linux tells them');
	const installation = await installN8n(say);
	if (values.short) {
		const [short] = await compare(SHORT, Number(values.rounds ?? 1), installation);
		say(`\n${ratiosOf(short?.entries ?? [])}`);
		return;
	}
	const names = [...FULL.map(({ name }) => name), 'Cold', 'Profile'];
	const unknown = values.only?.filter((name) => !names.includes(name)) ?? [];
	if (unknown.length > 0) throw new Error(`No ${unknown.join(', ')}: there is ${names.join(', ')}`);
	const isWanted = (name: string) => values.only?.includes(name) ?? true;
	const rounds = Number(values.rounds ?? 3);
	const sections = await compare(
		FULL.filter(({ name }) => isWanted(name)),
		rounds,
		installation,
	);
	const how = await circumstances(installation);
	for (const section of sections) {
		const { name, entries } = section;
		const table = tableOf(entries).split('\n');
		await keep(name, {
			...how,
			rounds,
			aims: aimsOf(section),
			table,
			ratios: ratiosOf(entries).split('\n'),
		});
		if (name === 'Campaign') await writeFile(join(RESULTS, 'campaign.svg'), plotOf(entries));
	}
	if (isWanted('Cold')) {
		const cold = await measureCold(installation.env);
		const table = Object.entries(cold).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
		await keep('Cold', { ...how, aims: coldAims(cold), table });
	}
	if (isWanted('Profile')) {
		const profiles = await profileSending(installation);
		await keep('Profile', { ...how, table: profileTable(profiles).split('\n') });
	}
}

/** Shows the results of a section, and writes them into a file of their own. */
async function keep(
	name: string,
	{ aims = [], ...results }: { aims?: Aim[]; [part: string]: unknown },
): Promise<void> {
	const rows = aims.map(({ aim, reached, isMet }) => [aim, reached, isMet ? 'met' : 'missed']);
	const shown = Object.values(results).filter((part) => Array.isArray(part));
	const tables = shown.map((lines) => lines.join('\n'));
	if (aims.length > 0) tables.push(markdown(['Aim', 'Reached', ''], rows));
	say(`\n## ${name}\n\n${tables.join('\n\n')}`);
	await mkdir(RESULTS, { recursive: true });
	const file = join(RESULTS, `${name.toLowerCase().replaceAll(' ', '-')}.json`);
	await writeFile(file, `${JSON.stringify({ ...results, aims }, null, '\t')}\n`);
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
			const stage = await Stage.open(installation, namesIn(section));
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

function namesIn({ groups }: Section): Set<ContenderName> {
	return new Set(groups.flat().map(({ contender }) => contender));
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
			n8n: await versionOf('dev/n8n/node_modules/n8n'),
			axios: await versionOf('node_modules/axios'),
		},
	};
}

main().catch((error: Error) => {
	process.stderr.write(`${error.stack}\n`);
	process.exit(1); // what still runs ends with this process
});
