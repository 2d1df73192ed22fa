import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

import semver from 'semver';

/**
 * Runs before `npm version` sets a version, commits and tags: whether this can be a release, all
 * checks, and last the date, so that nothing has changed where one of them fails.
 */

const version = process.env.npm_new_version;
const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).trim();
const refuse = (reason) => {
	console.error(`No release: ${reason}`);
	process.exit(1);
};

const changelog = readFileSync('CHANGELOG.md', 'utf8');
const [heading] = /^## .*$/m.exec(changelog) ?? [];
const { homepage, repository, author } = JSON.parse(readFileSync('package.json', 'utf8'));
const tags = git('tag', '--list', 'v*').split('\n').filter(semver.valid);

if (git('branch', '--show-current') !== 'main') refuse('this is not the branch main.');
if (heading !== `## ${version} (unreleased)`)
	refuse(`CHANGELOG.md does not begin with "## ${version} (unreleased)".`);
if (!tags.every((tag) => semver.gt(version, tag)))
	refuse(`${version} is not greater than ${semver.rsort(tags)[0]}.`);
if (JSON.stringify([homepage, repository, author]).includes('example.com'))
	refuse('package.json still has an example for its homepage, repository or author.');

for (const command of ['npm cit --ignore-scripts', 'npm run lint', 'npm run pack:check']) {
	const { status } = spawnSync(command, { shell: true, stdio: 'inherit' });
	if (status !== 0) refuse(`${command} failed.`);
}

const today = new Date().toISOString().slice(0, 10);
writeFileSync('CHANGELOG.md', changelog.replace(heading, `## ${version} (${today})`));
git('add', 'CHANGELOG.md'); // npm commits what is staged
