import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { projectRoot } from '../../dev/projectRoot';
import { scripts } from '../../package.json';

const documents = ['.', 'docs', 'docs/zh-CN'].flatMap((folder) =>
	readdirSync(join(projectRoot, folder))
		.filter((name) => name.endsWith('.md'))
		.map((name) => readFileSync(join(projectRoot, folder, name), 'utf8')),
);

test('there are few scripts, with those that people try first, and all that documents name', () => {
	const named = [...documents.join('\n').matchAll(/npm (?:run ([\w:-]+)|(test|start)\b)/g)];
	const wanted = new Set(named.map(([, script, own]) => script ?? own));
	const names = Object.keys(scripts);
	expect(names).toEqual(expect.arrayContaining([...wanted, 'dev', 'lint:fix', 'start', 'test']));
	expect(wanted.size).toBeGreaterThan(5);
	expect(names.length).toBeLessThanOrEqual(12);
});
