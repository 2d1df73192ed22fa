import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

import { pack } from './pack.mjs';

/** Checks what npm would publish against the rules for community packages. */

const MAX_BYTES = 64_000;
const MAY_REQUIRE = ['n8n-workflow', 'node:crypto'];
const FORBIDDEN = {
	manifest: [
		...['dependencies', 'optionalDependencies', 'bundleDependencies', 'bundledDependencies'],
		...['overrides', 'resolutions'],
	],
	scripts: ['preinstall', 'install', 'postinstall', 'prepare'],
};

const filesIn = (folder) =>
	readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll(sep, '/'));

const { tarball, content } = pack();
const { size } = statSync(tarball);
const manifest = JSON.parse(readFileSync(join(content, 'package.json'), 'utf8'));
const code = readFileSync(join(content, 'dist/workchat.js'), 'utf8');
const required = [...code.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name]) => name);
const files = filesIn(content);
/** n8n looks for each class in a file of its own; all code is in one. */
const entries = ['nodes', 'credentials']
	.flatMap((folder) => filesIn(folder).map((file) => `${folder}/${file}`))
	.filter((file) => /\.((node|credentials)\.ts|svg|json)$/.test(file))
	.map((file) => `dist/${file.replace(/ts$/, 'js')}`);
const expected = ['LICENSE.md', 'README.md', 'package.json', 'dist/workchat.js', ...entries];

const problems = [
	...files.filter((file) => !expected.includes(file)).map((file) => `${file} should not be in it`),
	...expected.filter((file) => !files.includes(file)).map((file) => `${file} is missing`),
	...required
		.filter((name) => !MAY_REQUIRE.includes(name))
		.map((name) => `dist/workchat.js may not require ${name}`),
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
