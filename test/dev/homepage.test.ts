import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { projectRoot } from '../../dev/projectRoot';

const read = (path: string) => readFileSync(join(projectRoot, path), 'utf8');
const { homepage, repository } = JSON.parse(read('package.json'));
const filesIn = (folder: string) =>
	readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
		.filter((path) => /\.\w+$/.test(path))
		.map((path) => `${folder}/${path}`);

test('the links of the built package lead to parts of the README', () => {
	const codex = filesIn('dist')
		.filter((path) => path.endsWith('.node.json'))
		.flatMap((path) => Object.values<Array<{ url: string }>>(JSON.parse(read(path)).resources))
		.flat();
	const [, ofCredential] = /documentationUrl = "(.+?)"/.exec(read('dist/workchat.js')) ?? [];
	const links = [ofCredential, ...codex.map(({ url }) => url)];
	const headings = [...read('README.md').matchAll(/^## (\w+)$/gm)].map(
		([, heading = '']) => `${homepage}#${heading.toLowerCase()}`,
	);
	expect(links).toHaveLength(4);
	expect(headings).toEqual(expect.arrayContaining(links));
});

test('package.json alone names the address of the project', () => {
	expect(repository.url).toBe(`git+${homepage}.git`);
	const others = ['README.md', 'CONTRIBUTING.md', ...['credentials', 'nodes'].flatMap(filesIn)];
	expect(others.filter((path) => read(path).includes(homepage))).toEqual([]);
	expect(filesIn('dist').filter((path) => read(path).includes('homepage.invalid'))).toEqual([]);
});
