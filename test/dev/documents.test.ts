import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

import type { INodeProperties } from 'n8n-workflow';

import { MAX_VALUES } from '../../nodes/Workchat/common/json';
import { dependencies } from '../../dev/n8n/package.json';
import { projectRoot } from '../../dev/projectRoot';
import { EXAMPLES } from '../../dev/start/readExample';
import { devDependencies, scripts } from '../../package.json';
import { dependencies as ofN8n1 } from '../compat/n8n-1/package.json';
import { dependencies as ofN8n2 } from '../compat/n8n-2.0/package.json';
import { MAX_MARKERS } from '../../nodes/Workchat/execution/once/claimStore';
import { CALL_TIMEOUT, MAX_ENTRIES } from '../../nodes/Workchat/execution/once/dedupRow';
import { LONG_INTERVAL, MAX_CLAIMS } from '../../nodes/Workchat/execution/once/messageClaims';
import { HALF_FULL } from '../../nodes/Workchat/execution/once/once';
import { FIRST_DELAY, MAX_DELAY } from '../../nodes/Workchat/execution/retry';
import { operations, resources } from '../../nodes/Workchat/operations';
import { MAX_RETRY_AFTER } from '../../nodes/Workchat/service/failure/responseFailure';
import { MAX_ENVELOPE } from '../../nodes/Workchat/service/file/receiveFile';

const read = (path: string) => readFileSync(join(projectRoot, path), 'utf8');
const documentsIn = (folder: string) =>
	readdirSync(join(projectRoot, folder))
		.map((name) => posix.join(folder, name))
		.filter((path) => path.endsWith('.md'));
const CHINESE = 'docs/zh-CN';
const translations = documentsIn(CHINESE);
const documents = [...documentsIn('.'), ...documentsIn('docs'), ...translations];

/** The anchors that GitHub derives from headings. */
const anchorsIn = (document: string) =>
	[...read(document).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
		heading
			.toLowerCase()
			.replace(/[^\p{L}\p{N} _-]/gu, '')
			.replaceAll(' ', '-'),
	);

function partsOf(link: string, from: string): [target: string, anchor?: string] {
	const [path = '', anchor] = link.split('#');
	return [path === '' ? from : posix.join(posix.dirname(from), path), anchor];
}

function isBroken(link: string, from: string): boolean {
	const [target, anchor] = partsOf(link, from);
	if (!existsSync(join(projectRoot, target))) return true;
	return anchor !== undefined && !anchorsIn(target).includes(anchor);
}

const unique = (texts: string[]) => [...new Set(texts)].sort();
const linksIn = (text: string, pattern: RegExp) =>
	[...text.matchAll(pattern)].map(([, link = '']) => link);

test.each(documents)('every link in %s leads to a file and a heading that exist', (document) => {
	const links = linksIn(read(document), /\]\((?!https?:)([^)]+)\)/g);
	expect(links.filter((link) => isBroken(link, document))).toEqual([]);
});

test.each([
	['nodes/Workchat/Workchat.node.json'],
	['nodes/Workchat/WorkchatTrigger.node.json'],
	['credentials/WorkchatApi.credentials.ts', 'workchat.js'],
])('the links of %s lead to parts of the README, and none to an example', (file, built = file) => {
	const links = linksIn(read(file), /https:\/\/homepage\.invalid([^'"]*)/g);
	expect(links).not.toEqual([]);
	expect(links.filter((link) => isBroken(link, 'README.md'))).toEqual([]);
	expect(read(`dist/${built}`)).not.toMatch(/homepage\.invalid|example\.com\/n8n/);
});

test.each(['README.md', `${CHINESE}/README.md`])('%s names every operation', (document) => {
	const text = read(document);
	const names = operations.map(({ name }) => name);
	expect(names.filter((name) => !text.includes(name))).toEqual([]);
});

const isFilledIn = ({ type }: INodeProperties) => !['notice', 'collection'].includes(type);

/** The line before the fields of an operation in docs/options.md. */
const INTRODUCTION =
	/^\*\*(.+?)\*\*: resource `(.+?)`, operation `(.+?)`, request `POST (.+?)`\.$/m;
const sections = read('docs/options.md')
	.split(/^(?=#|\*\*.+?\*\*: resource)/m)
	.flatMap((text) => {
		const [, ...facts] = INTRODUCTION.exec(text) ?? [];
		return facts.length > 0 ? [{ facts, text }] : [];
	});
const all = resources.flatMap(({ value: resource, operations: ofResource }) =>
	ofResource.map((operation) => ({ ...operation, resource })),
);

test('docs/options.md has a section for each operation, and for no other', () => {
	const documented = sections.map(({ facts }) => facts);
	const actual = all.map(({ name, resource, value, path }) => [name, resource, value, path]);
	expect(documented.sort()).toEqual(actual.sort());
});

test.each(all)('docs/options.md has the fields of $name, and no other', (operation) => {
	const { text = '' } = sections.find(({ facts }) => facts[0] === operation.name) ?? {};
	const cells = linksIn(text, /^\| ([^|]+?) +\|/gm);
	const documented = cells.flatMap((cell) => linksIn(cell, /`(\w+)`/g));
	const own = operation.parameters.filter(isFilledIn);
	expect(own.map(({ name }) => name)).toEqual(expect.arrayContaining(documented));
	const page = read('docs/options.md');
	const entries = own.map(({ displayName, name }) => `${displayName} \`${name}\``);
	expect(entries.filter((entry) => !page.includes(entry))).toEqual([]);
});

const optionsOf = ({ parameters }: (typeof all)[number]) =>
	parameters.flatMap(({ type, options = [] }) =>
		type === 'collection' ? (options as INodeProperties[]) : [],
	);

/** Whose an option is, in the words of docs/options.md. */
function ownersOf(name: string): string {
	const owners = all.filter((operation) => optionsOf(operation).some((one) => one.name === name));
	const isAll = owners.length === all.length;
	const isMessages = owners.length > 0 && owners.every(({ fields }) => fields[0]?.name === 'toId');
	return isAll ? 'all' : isMessages ? 'messages' : owners.map((one) => one.name).join(', ');
}

test('docs/options.md has all options with their defaults, and no other', () => {
	const rows = read('docs/options.md').matchAll(/^\| (.+?) `(\w+)` +\| (.+?) +\| (.+?) +\|.*\|$/gm);
	const documented = [...rows].map(([, label, name, owners = '', presets = '']) => [
		...[label, name, owners.replace('files', 'Download File')],
		// "1, download 4"
		...unique(presets.split(', ').map((preset) => preset.replace(/^[a-z ]+ (?=\d)/i, ''))),
	]);
	const inWords = (preset: unknown) =>
		({ false: 'off', true: 'off; on once added' })[String(preset)] ?? (String(preset) || 'empty');
	const options = all.flatMap(optionsOf);
	const actual = unique(options.map(({ name }) => name)).map((name) => {
		const same = options.filter((one) => one.name === name);
		const presets = unique(same.map((one) => inWords(one.default)));
		return [same[0]?.displayName, name, ownersOf(name), ...presets];
	});
	expect(documented.sort()).toEqual(actual.sort());
});

test('docs/installation.md names the versions that are run', () => {
	const engines = [devDependencies, ofN8n2, ofN8n1].map((all) => `n8n-core ${all['n8n-core']}`);
	const text = read('docs/installation.md');
	const isMissing = (version: string) => !text.includes(`| ${version} `);
	expect([`n8n ${dependencies.n8n}`, ...engines].filter(isMissing)).toEqual([]);
});

test.each(['docs/errors.md', `${CHINESE}/errors.md`])(
	'the node has the error messages that %s quotes',
	(page) => {
		const quotes = linksIn(read(page), /\*\*(.+?)\*\*/g);
		expect(quotes.length).toBeGreaterThan(25);
		const parts = quotes.flatMap((quote) => quote.split('…')).map((part) => part.trim());
		const code = read('dist/workchat.js');
		expect(parts.filter((part) => !code.includes(part))).toEqual([]);
	},
);

const campaign = read('examples/campaign.workflow.json');
const inCampaign = (limit: RegExp) => Number(limit.exec(campaign)?.[1]);

/** What a page says of a limit. */
test.each([
	['delivery', 'seven at most for each of Max Concurrency', MAX_CLAIMS, 7],
	['delivery', 'Request Interval under half a second', LONG_INTERVAL, 500],
	['delivery', 'keeps 41,000 entries', MAX_ENTRIES, 41_000],
	['delivery', 'From 20,500 entries on', HALF_FULL, 20_500],
	['delivery', 'for ten seconds', CALL_TIMEOUT, 10_000],
	['delivery', 'after 500 later executions', MAX_MARKERS, 500],
	['delivery', 'for half a second at most', FIRST_DELAY, 500],
	['delivery', 'up to 30 seconds at most', MAX_DELAY, 30_000],
	['delivery', 'up to a minute', MAX_RETRY_AFTER, 60_000],
	['recipes', 'or a hundred in a row', inCampaign(/row >= \(isAny \? (\d+)/), 100],
	['recipes', 'for about six seconds', inCampaign(/Math\.ceil\((\d+) \/ pace\)/), 6],
	['recipes', 'up to three times', inCampaign(/tries >= (\d+)/), 3],
	['recipes', 'for two weeks', inCampaign(/minus\(\{ days: (14)/), 14],
	['files', 'may have 400 MB', MAX_ENVELOPE, 400e6],
	['receiving', 'more than 200,000 values', MAX_VALUES, 200_000],
])('docs/%s.md states a limit as the code has it: "%s"', (page, words, limit, documented) => {
	expect(read(`docs/${page}.md`)).toContain(words);
	expect(limit).toBe(documented);
});

test('package.json has every script that a document names, and few others', () => {
	const named = documents.flatMap((document) => linksIn(read(document), /npm run ([\w:-]+)/g));
	const names = Object.keys(scripts);
	expect(names).toEqual(expect.arrayContaining([...named, 'dev', 'lint:fix', 'start', 'test']));
	expect(named.length).toBeGreaterThan(5);
	expect(names.length).toBeLessThanOrEqual(12);
});

test("npm run dev lists the workflows in README's order", () => {
	const names = EXAMPLES.map((name) => JSON.parse(read(`examples/${name}.workflow.json`)).name);
	expect(linksIn(read('README.md'), /^- \[(.+?)\]\(docs\/recipes/gm)).toEqual(names);
});

type Workflow = { name: string; nodes: Array<{ name: string; parameters: { content?: string } }> };
const workflows = EXAMPLES.map((example) => ({
	example,
	...(JSON.parse(read(`examples/${example}.workflow.json`)) as Workflow),
}));
const notesOf = ({ nodes }: Workflow) =>
	nodes.map(({ parameters }) => parameters.content ?? '').join('\n\n');
/** The nodes that steps name: "1. **Node**, **Node** and **Node**: do this". */
const nodesInSteps = (text: string) =>
	linksIn(text, /^\d+\. (\*\*[^:：]+\*\*)[:：]/gm).flatMap((names) =>
		linksIn(names, /\*\*(.+?)\*\*/g),
	);

test.each(workflows)('the notes of $example name nodes and workflows that exist', (workflow) => {
	const nodes = workflow.nodes.map(({ name }) => name);
	expect(nodes).toEqual(expect.arrayContaining(nodesInSteps(notesOf(workflow))));
	const named = linksIn(notesOf(workflow), /(?<!\*)\*([A-Z]\S* [^*\n]+)\*(?!\*)/g);
	const names = workflows.map(({ name }) => name);
	expect(names).toEqual(expect.arrayContaining(named));
});

test.each(['docs/recipes.md', `${CHINESE}/recipes.md`])(
	'the steps in %s name nodes that exist',
	(page) => {
		const sections = read(page).split(/^## /m).slice(1);
		const missing = sections.flatMap((section) => {
			const [example = ''] = linksIn(section, /^\[(.+)\.workflow\.json\]/gm);
			const nodes = workflows.find((each) => each.example === example)?.nodes ?? [];
			const steps = nodesInSteps(section);
			return steps.filter((step) => !nodes.some(({ name }) => name === step));
		});
		expect([sections.length, missing]).toEqual([EXAMPLES.length, []]);
	},
);

test('publish.yml publishes only after the journeys in n8n have succeeded', () => {
	const [, jobs = ''] = read('.github/workflows/publish.yml').split('\njobs:\n');
	const bodyOf = (job: string) => jobs.split(/^ {2}(?=\w)/m).find((each) => each.startsWith(job));
	const needed = /needs: \[(.+)\]/.exec(bodyOf('publish:') ?? '')?.[1]?.split(', ') ?? [];
	const run = needed.map((job) => /uses: \.\/(\S+)/.exec(bodyOf(`${job}:`) ?? '')?.[1] ?? '');
	expect(run).toEqual(expect.arrayContaining(['.github/workflows/e2e.yml']));
	expect(read('.github/workflows/e2e.yml')).toContain('- run: npm run e2e\n');
});

/** The same page in the other language, or the page itself if it has no translation. */
function counterpartOf(document: string): string {
	const name = posix.basename(document);
	const original = name === 'README.md' ? name : `docs/${name}`;
	const translation = `${CHINESE}/${name}`;
	if (document === translation) return original;
	return document === original && translations.includes(translation) ? translation : document;
}

/** The parts of a page that do not depend on its language. Links may be in another order. */
function shapeOf(document: string, nameOf = (target: string) => target) {
	const parts = read(document).split('```');
	const fenced = parts.filter((_, index) => index % 2 === 1);
	const text = parts.filter((_, index) => index % 2 === 0).join('');
	const links = linksIn(text, /\]\(([^)]+)\)/g).map((link) => {
		if (link.startsWith('https:')) return link;
		const [target, anchor] = partsOf(link, document);
		const heading = anchor && anchorsIn(target).indexOf(anchor);
		return `${nameOf(target)}#${heading}`;
	});
	return {
		headings: linksIn(text, /^(#+) /gm),
		links: links.sort(),
		tables: linksIn(text, /^(\|.*)$/gm).map((row) => row.split('|').length),
		code: [
			...fenced.map((block) => block.replace(/ +# .*/g, '')),
			...unique(linksIn(text, /`([^`]+)`/g)),
		],
	};
}

test.each(translations)(
	'%s has the headings, links, tables and code of the English page',
	(translation) => {
		const shape = shapeOf(translation);
		const original = shapeOf(counterpartOf(translation), counterpartOf);
		expect(shape).toEqual(original);
	},
);
