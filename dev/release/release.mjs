import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

/**
 * Makes the release that CHANGELOG.md announces: checks everything, sets version and date,
 * commits and tags. Pushing the tag publishes it (.github/workflows/publish.yml).
 */

const BRANCH = 'main';

const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).trim();
const refuse = (reason) => {
	console.error(`No release: ${reason}`);
	process.exit(1);
};
const run = (command) => {
	if (spawnSync(command, { shell: true, stdio: 'inherit' }).status !== 0) {
		refuse(`${command} failed.`);
	}
};

const changelog = readFileSync('CHANGELOG.md', 'utf8');
const [heading, version] =
	/^## (\d+\.\d+\.\d+) \(unreleased\)$/m.exec(changelog) ??
	refuse('CHANGELOG.md has no heading such as "## 1.2.3 (unreleased)".');
const tag = `v${version}`;

if (git('branch', '--show-current') !== BRANCH) refuse(`this is not the branch ${BRANCH}.`);
if (git('status', '--porcelain')) refuse('some changes are not committed.');
if (git('tag', '--list', tag)) refuse(`the tag ${tag} exists.`);
if (readFileSync('package.json', 'utf8').includes('example.com')) {
	refuse('placeholders remain, see "Before the first release" in CONTRIBUTING.md.');
}

run('npm cit');
run('npm run lint');
run('npm run pack:check');

const today = new Date().toISOString().slice(0, 10);
writeFileSync('CHANGELOG.md', changelog.replace(heading, `## ${version} (${today})`));
run(`npm version ${version} --no-git-tag-version --allow-same-version`);
git('commit', '--all', '--message', `Release ${version}`);
git('tag', '--annotate', tag, '--message', `Release ${version}`);
console.log(`Tagged ${tag}. To publish it: git push --atomic origin ${BRANCH} ${tag}`);
