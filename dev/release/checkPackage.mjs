import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

import { pack } from './pack.mjs';

/** Checks what npm would publish against the rules for community packages. */

const MAX_BYTES = 64_000;
const PUBLISHED = /^(dist\/.+\.(js|json|svg)|LICENSE\.md|README\.md|package\.json)$/;
const FORBIDDEN = {
	manifest: [
		...['dependencies', 'optionalDependencies', 'bundleDependencies', 'bundledDependencies'],
		...['overrides', 'resolutions'],
	],
	scripts: ['preinstall', 'install', 'postinstall', 'prepare'],
};

const { tarball, content } = pack();
const manifest = JSON.parse(readFileSync(join(content, 'package.json'), 'utf8'));
const files = readdirSync(content, { recursive: true, withFileTypes: true })
	.filter((entry) => entry.isFile())
	.map(({ parentPath, name }) => relative(content, join(parentPath, name)).replaceAll(sep, '/'));
const { size } = statSync(tarball);
const entries = [...manifest.n8n.nodes, ...manifest.n8n.credentials];

const problems = [
	...files.filter((file) => !PUBLISHED.test(file)).map((file) => `${file} should not be in it`),
	...['LICENSE.md', 'README.md', ...entries]
		.filter((file) => !files.includes(file))
		.map((file) => `${file} is missing`),
	...FORBIDDEN.manifest
		.filter((key) => key in manifest)
		.map((key) => `package.json may not have "${key}"`),
	...FORBIDDEN.scripts
		.filter((script) => script in manifest.scripts)
		.map((script) => `package.json may not have a script "${script}"`),
	...(size > MAX_BYTES ? [`it has ${size} bytes, more than ${MAX_BYTES}`] : []),
];

console.log(`${manifest.name} ${manifest.version}: ${files.length} files, ${size} bytes packed`);
for (const problem of problems) console.error(`  ${problem}`);
process.exitCode = problems.length > 0 ? 1 : 0;
