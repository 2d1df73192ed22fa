import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';

import { installN8n, type Installation } from '../n8n/installation';
import { projectRoot } from '../projectRoot';
import { judged } from './aims';
import { loadingTime } from './cold';
import { tablesOf, withTables, type Circumstances, type Kept } from './document';
import { figuresOf, type Measured } from './figures';
import { PLAN, type Entry, type Section } from './plan';
import { plotOf } from './plot';
import { Stage, type Sample } from './stage';
import { NAMES, smallerOf } from './work';

const run = promisify(execFile);

const say = (text: string) => process.stdout.write(`${text}\n`);

const RESULTS = join(projectRoot, 'dev', 'bench', 'results');
/** For users, and for contributors. */
const DOCUMENTS = ['docs/speed.md', 'dev/bench/README.md'].map((path) => join(projectRoot, path));

/**
 * `npm run bench`: everything, several rounds, into the tables of docs/speed.md and of the README here. `-- --only Campaign`:
 * a section, or several; the results of the others stay. `-- --short`: a little of it, once, which is
 * only shown. `-- --tables`: nothing is measured, the tables are written from the results that are kept.
 */
async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			short: { type: 'boolean', default: false },
			tables: { type: 'boolean', default: false },
			only: { type: 'string', multiple: true },
			rounds: { type: 'string' },
		},
	});
	if (values.tables) return await writeTables();
	if (process.platform !== 'linux') throw new Error('Memory is read as Linux tells it');
	const names = [...PLAN.map(({ name }) => name), 'Cold'];
	const unknown = values.only?.filter((name) => !names.includes(name)) ?? [];
	if (unknown.length > 0) throw new Error(`No ${unknown.join(', ')}: there is ${names.join(', ')}`);
	const isWanted = (name: string) => values.only?.includes(name) ?? true;

	const installation = await installN8n(say);
	const rounds = Number(values.rounds ?? (values.short ? 1 : 3));
	const sections = PLAN.filter(({ name }) => isWanted(name));
	const measured = await measure(sections, rounds, installation, values.short);
	const how = { ...(await circumstances(installation)), rounds };
	if (values.short) {
		say(tablesOf([{ ...how, results: measured }]).join('\n\n'));
	} else {
		for (const { name } of sections) {
			await keep({ ...how, results: measured.filter(({ section }) => section === name) }, name);
		}
		await writeTables();
		for (const line of judged(measured)) say(line);
	}
	if (isWanted('Cold')) say(`Loaded in ${(await loadingTime(installation.env)).toFixed(1)} ms`);
}

/** The contenders take turns, so that a machine that grows slower favours nobody. */
async function measure(
	sections: Section[],
	rounds: number,
	installation: Installation,
	isShort: boolean,
): Promise<Measured[]> {
	const workOf = ({ work }: Entry) => (isShort ? smallerOf(work) : work);
	const samples = new Map<Entry, Sample[]>();
	for (let round = 0; round < rounds; round++) {
		for (const section of sections) {
			say(`Round ${round + 1} of ${rounds}: ${section.name}`);
			const stage = await Stage.open(installation, section);
			try {
				for (const entry of ordered(section, round)) {
					const work = workOf(entry);
					const sample = await stage.measure({ ...entry, work });
					samples.set(entry, [...(samples.get(entry) ?? []), sample]);
					say(`  ${sample.seconds} s: ${NAMES[entry.contender]}, ${JSON.stringify(work)}`);
				}
			} finally {
				await stage.close();
			}
		}
	}
	return sections.flatMap(({ name, groups }) =>
		groups.flat().map((entry) => ({
			section: name,
			...entry,
			figures: figuresOf(workOf(entry), samples.get(entry) ?? []),
		})),
	);
}

/** There and back, so that nobody always comes after the same one. */
function ordered({ groups }: Section, round: number): Entry[] {
	return groups.flatMap((group) => (round % 2 === 0 ? group : group.toReversed()));
}

async function keep(kept: Kept, section: string): Promise<void> {
	await mkdir(RESULTS, { recursive: true });
	const file = join(RESULTS, `${section.toLowerCase().replaceAll(' ', '-')}.json`);
	await writeFile(file, `${JSON.stringify(kept, null, '\t')}\n`);
	if (section === 'Campaign') await writeFile(join(RESULTS, 'campaign.svg'), plotOf(kept.results));
}

async function writeTables(): Promise<void> {
	const files = (await readdir(RESULTS)).filter((name) => name.endsWith('.json'));
	const kept = await Promise.all(
		files.map(async (name) => JSON.parse(await readFile(join(RESULTS, name), 'utf8')) as Kept),
	);
	for (const document of DOCUMENTS) {
		await writeFile(document, withTables(await readFile(document, 'utf8'), kept));
	}
}

async function circumstances({ env }: Installation): Promise<Omit<Circumstances, 'rounds'>> {
	const versionOf = async (path: string): Promise<string> =>
		JSON.parse(await readFile(join(projectRoot, path, 'package.json'), 'utf8')).version;
	return {
		date: new Date().toISOString().slice(0, 10),
		versions: {
			package: await versionOf('.'),
			n8n: await versionOf('dev/n8n/node_modules/n8n'),
			node: (await run('node', ['--version'], { env })).stdout.trim(),
		},
	};
}

main().catch((error: Error) => {
	process.stderr.write(`${error.stack}\n`);
	process.exit(1); // what still runs ends with this process
});
