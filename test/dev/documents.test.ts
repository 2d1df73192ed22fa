import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

import { projectRoot } from '../../dev/projectRoot';
import { resources } from '../../nodes/Workchat/operations';

/** What the documents say of the project, and where their links lead. */

const read = (path: string) => readFileSync(join(projectRoot, path), 'utf8');

/** All below a folder; a folder's own path ends with a slash. */
function below(folder: string): string[] {
	return readdirSync(join(projectRoot, folder), { withFileTypes: true })
		.filter(({ name }) => name !== 'node_modules' && !name.startsWith('.'))
		.flatMap((entry) => {
			const path = `${folder}/${entry.name}`;
			return entry.isDirectory() ? [`${path}/`, ...below(path)] : path;
		});
}

/** The cells of the column, in the table of CONTRIBUTING.md that begins with this one. */
function column(heading: string, index = 0): string[] {
	const [, table = ''] = read('CONTRIBUTING.md').split(
		new RegExp(`^\\| ${heading} .*\\n.*\\n`, 'm'),
	);
	const rows = table.slice(0, table.indexOf('\n\n')).split('\n');
	return rows.map((row) => row.split(' | ')[index] ?? '');
}

const codeIn = (text: string) => [...text.matchAll(/`(.+?)`/g)].map(([, code = '']) => code);

describe('CONTRIBUTING.md', () => {
	test('has every script', () => {
		const { scripts } = JSON.parse(read('package.json'));
		const listed = column('Script')
			.flatMap(codeIn)
			.map((command) => command.replace(/^npm (run )?/, ''));
		expect(listed.sort()).toEqual(Object.keys(scripts).sort());
	});

	test('has every folder of the node and of the tools, and none that is gone', () => {
		const listed = column('Folder').flatMap(codeIn);
		expect(listed.filter((folder) => !existsSync(join(projectRoot, folder)))).toEqual([]);
		const isTool = (path: string) => /^dev\/[^/]+\/$/.test(path);
		const folders = [...below('nodes/Workchat'), ...below('dev').filter(isTool)];
		expect(listed).toEqual(expect.arrayContaining(folders.filter((path) => path.endsWith('/'))));
	});

	test('explains only words that the sources have', () => {
		const sources = below('nodes')
			.filter((path) => path.endsWith('.ts'))
			.map((path) => read(path).toLowerCase())
			.join('\n');
		const words = column('Word').flatMap((cell) => cell.replace(/^\| | +$/g, '').split(', '));
		const isUsed = (word: string) =>
			[word, word.replace(' ', '')].some((name) => sources.includes(name.toLowerCase()));
		expect(words.length).toBeGreaterThan(10);
		expect(words.filter((word) => !isUsed(word))).toEqual([]);
	});

	test('says what every test is for that has not the name of a source or a folder', () => {
		const sources = ['nodes', 'credentials', 'dev/sandbox', 'dev/n8n']
			.flatMap(below)
			.filter((path) => path.endsWith('.ts'));
		const folders = below('dev').filter((path) => path.endsWith('/'));
		const named = new Set([...sources, ...folders].map((path) => posix.parse(path).name));
		const listed = column('Promise', 1).flatMap(codeIn);
		const tests = below('test')
			.filter((path) => /^test\/[^/]+\.test\.ts$/.test(path))
			.map((path) => posix.basename(path, '.test.ts'));
		expect(listed.filter((name) => !tests.includes(name) || named.has(name))).toEqual([]);
		expect(tests.filter((name) => !named.has(name) && !listed.includes(name))).toEqual([]);
	});
});

const operations = resources.flatMap((resource) => resource.operations.map(({ name }) => name));

test.each([
	'README.md',
	'docs/README.zh-CN.md',
	'docs/options.md',
	'.github/ISSUE_TEMPLATE/bug_report.yml',
])('%s names every operation', (document) => {
	const text = read(document);
	expect(operations.filter((name) => !text.includes(name))).toEqual([]);
});

const documents = [...readdirSync(projectRoot), ...below('docs')].filter((path) =>
	path.endsWith('.md'),
);

/** As GitHub makes them of headings. */
const anchorsIn = (document: string) =>
	[...read(document).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
		heading
			.toLowerCase()
			.replace(/[^\p{L}\p{N} _-]/gu, '')
			.replaceAll(' ', '-'),
	);

test.each(documents)('the links of %s lead somewhere', (document) => {
	const links = [...read(document).matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(
		([, link = '']) => link,
	);
	const isBroken = (link: string) => {
		const [path = '', anchor] = link.split('#');
		const target = path === '' ? document : posix.join(posix.dirname(document), path);
		if (!existsSync(join(projectRoot, target))) return true;
		return anchor !== undefined && !anchorsIn(target).includes(anchor);
	};
	expect(links.filter(isBroken)).toEqual([]);
});
