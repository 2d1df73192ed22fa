import { execFileSync, execSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';

/** Packs the files that npm would publish, and checks them by the rules for community packages. */

const MAX_BYTES = 90_000;
const MAY_REQUIRE = ['n8n-workflow', 'node:crypto'];
/** n8n's scanner also forbids dependencies, overrides, and scripts that run on installation. */
const FORBIDDEN = ['optionalDependencies', 'bundleDependencies', 'bundledDependencies'];

const filesIn = (folder) =>
	readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll(sep, '/'));

const folder = mkdtempSync(join(tmpdir(), 'n8n-nodes-workchat-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
execSync(`npm pack --silent --pack-destination "${folder}"`);
const tarball = join(folder, readdirSync(folder)[0]);
execFileSync('tar', ['-xzf', tarball, '-C', folder]);
const content = join(folder, 'package');

const { size } = statSync(tarball);
const manifest = JSON.parse(readFileSync(join(content, 'package.json'), 'utf8'));
const bundle = readFileSync(join(content, 'dist/workchat.js'), 'utf8');
const required = [...bundle.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name]) => name);
const files = filesIn(content);
/** n8n loads each class from a file of its own. These files refer to the bundle, which has all code. */
const entries = ['nodes', 'credentials']
	.flatMap((folder) => filesIn(folder).map((file) => `${folder}/${file}`))
	.filter((file) => /\.((node|credentials)\.ts|svg|json)$/.test(file))
	.map((file) => `dist/${file.replace(/ts$/, 'js')}`);
const code = ['dist/workchat.js', 'dist/workchat.js.map'];
const expected = ['LICENSE.md', 'README.md', 'package.json', ...code, ...entries];

const problems = [
	...files
		.filter((file) => !expected.includes(file))
		.map((file) => `${file} must not be in the package`),
	...expected
		.filter((file) => !files.includes(file))
		.map((file) => `${file} is missing in the package`),
	...required
		.filter((name) => !MAY_REQUIRE.includes(name))
		.map((name) => `dist/workchat.js must not require ${name}`),
	...FORBIDDEN.filter((key) => key in manifest).map((key) => `package.json must not have "${key}"`),
	...(size > MAX_BYTES ? [`the package has ${size} bytes, more than ${MAX_BYTES}`] : []),
];

console.log(`${manifest.name} ${manifest.version}: ${files.length} files, ${size} bytes packed`);
for (const problem of problems) console.error(`  ${problem}`);
process.exitCode = problems.length > 0 ? 1 : 0;

process.env.TMPDIR = folder; // where the scanner leaves a folder behind
const { analyzePackage, SOURCE_FILE_PATTERNS } = await import(
	'@n8n/scan-community-package/scanner/scanner.mjs'
);
// n8n scans both after a package is published (`analyzePackageByName`, 0.32.0).
const scans = [
	{ what: 'source', folder: process.cwd(), patterns: SOURCE_FILE_PATTERNS },
	{ what: 'packed content', folder: content, patterns: ['**/*.js', 'package.json'] },
];
for (const { what, folder, patterns } of scans) {
	const { passed, message, details = '' } = await analyzePackage(folder, patterns);
	console.log(`n8n's scanner, ${what}: ${passed ? 'passed' : `${message}\n${details}`}`);
	if (!passed) process.exitCode = 1;
}
