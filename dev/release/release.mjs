import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

import semver from 'semver';

/**
 * `npm run release -- 1.2.3`: runs all checks, then sets the date and the version, commits, and tags. If a
 * check fails, nothing has changed.
 */

const version = process.argv[2];
const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).trim();
const refuse = (reason) => {
	console.error(`Not released: ${reason}`);
	process.exit(1);
};
const run = (command) => {
	const { status } = spawnSync(command, { shell: true, stdio: 'inherit' });
	if (status !== 0) refuse(`${command} failed.`);
};

const changelog = readFileSync('CHANGELOG.md', 'utf8');
const [heading] = /^## .*$/m.exec(changelog) ?? [];
const { homepage, repository, author } = JSON.parse(readFileSync('package.json', 'utf8'));
const tags = git('tag', '--list', 'v*').split('\n').filter(semver.valid);

if (!semver.valid(version)) refuse('enter a version, for example 1.2.3.');
if (git('branch', '--show-current') !== 'main') refuse('switch to the branch main.');
if (git('status', '--porcelain', '--untracked-files=no')) refuse('commit all changes first.');
if (heading !== `## ${version} (unreleased)`)
	refuse(`CHANGELOG.md does not begin with "## ${version} (unreleased)".`);
if (!tags.every((tag) => semver.gt(version, tag)))
	refuse(`${version} is not greater than ${semver.rsort(tags)[0]}.`);
if (JSON.stringify([homepage, repository, author]).includes('example.com'))
	refuse('replace the example values of homepage, repository and author in package.json.');

for (const command of ['npm cit', 'npm run lint', 'npm run pack:check']) run(command);

const today = new Date().toISOString().slice(0, 10);
writeFileSync('CHANGELOG.md', changelog.replace(heading, `## ${version} (${today})`));
run(`npm version ${version} --no-git-tag-version --allow-same-version`);
git('commit', '--all', '--message', `Release ${version}`);
git('tag', '--annotate', `v${version}`, '--message', `Release ${version}`);
