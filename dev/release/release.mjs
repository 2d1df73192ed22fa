import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

import semver from 'semver';

/**
 * `npm run release -- 1.2.3`: whether this can be a release, all checks, and last the date, the version,
 * a commit and a tag, so that nothing has changed where a check fails.
 */

const version = process.argv[2];
const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).trim();
const refuse = (reason) => {
	console.error(`No release: ${reason}`);
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

if (!semver.valid(version)) refuse('name a version, such as 1.2.3.');
if (git('branch', '--show-current') !== 'main') refuse('this is not the branch main.');
if (git('status', '--porcelain', '--untracked-files=no')) refuse('there are changes to commit.');
if (heading !== `## ${version} (unreleased)`)
	refuse(`CHANGELOG.md does not begin with "## ${version} (unreleased)".`);
if (!tags.every((tag) => semver.gt(version, tag)))
	refuse(`${version} is not greater than ${semver.rsort(tags)[0]}.`);
if (JSON.stringify([homepage, repository, author]).includes('example.com'))
	refuse('package.json still has an example for its homepage, repository or author.');

for (const command of ['npm cit', 'npm run lint', 'npm run pack:check']) run(command);

const today = new Date().toISOString().slice(0, 10);
writeFileSync('CHANGELOG.md', changelog.replace(heading, `## ${version} (${today})`));
run(`npm version ${version} --no-git-tag-version --allow-same-version`);
git('commit', '--all', '--message', `Release ${version}`);
git('tag', '--annotate', `v${version}`, '--message', `Release ${version}`);
