import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { projectRoot } from '../dev/projectRoot';

const PLACEHOLDER =
	/[^\s"'`(<]*\bexample\.com\/n8n-nodes-workchat[^\s"'`)>]*|n8n-nodes-workchat@example\.com/g;

const read = (file: string) => readFileSync(join(projectRoot, file), 'utf8');

const published = [
	...readdirSync(projectRoot).filter((name) => /^(README.*|package\.json)$/.test(name)),
	...['credentials', 'nodes'].flatMap((folder) =>
		readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
			.filter((path) => /\.\w+$/.test(path))
			.map((path) => `${folder}/${path.replaceAll('\\', '/')}`),
	),
];

test('CONTRIBUTING.md lists every placeholder in the package', () => {
	const found = published.flatMap((file) =>
		[...read(file).matchAll(PLACEHOLDER)].map(([placeholder]) => `${file} ${placeholder}`),
	);
	const listed = [...read('CONTRIBUTING.md').matchAll(/^ +\| `(.+?)` +\| `(.+?)` +\|$/gm)].map(
		([, file, placeholder]) => `${file} ${placeholder}`,
	);
	expect(found.sort()).toEqual(listed.sort());
});

test('the documentation links lead to the homepage', () => {
	const { homepage } = JSON.parse(read('package.json'));
	const { resources } = JSON.parse(read('nodes/Workchat/Workchat.node.json'));
	const credential = read('credentials/WorkchatApi.credentials.ts');
	const links = [
		/documentationUrl = '(.+)'/.exec(credential)?.[1],
		...Object.values<Array<{ url: string }>>(resources).flatMap((group) =>
			group.map(({ url }) => url),
		),
	];
	expect(links.map((link) => link?.split('#')[0])).toEqual(links.map(() => homepage));
});
