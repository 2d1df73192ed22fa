import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';

/**
 * Makes the release that CHANGELOG.md announces: fills in what package.json still lacks, sets version
 * and date, checks all of it, commits and tags. Pushing the tag publishes it
 * (.github/workflows/publish.yml).
 * Options: `--author "Name <address>"`, asked for where package.json has no author yet.
 */

const BRANCH = 'main';
/** What a release changes; put back where a check fails. */
const CHANGED = ['CHANGELOG.md', 'package.json', 'package-lock.json'];

const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).trim();
const refuse = (reason) => {
	console.error(`No release: ${reason}`);
	process.exit(1);
};
const run = (command) => {
	if (spawnSync(command, { shell: true, stdio: 'inherit' }).status === 0) return;
	git('restore', ...CHANGED);
	refuse(`${command} failed. Nothing has changed.`);
};

const changelog = readFileSync('CHANGELOG.md', 'utf8');
const [heading, version] =
	/^## (\d+\.\d+\.\d+) \(unreleased\)$/m.exec(changelog) ??
	refuse('CHANGELOG.md has no heading such as "## 1.2.3 (unreleased)".');
const tag = `v${version}`;

if (git('branch', '--show-current') !== BRANCH) refuse(`this is not the branch ${BRANCH}.`);
if (git('status', '--porcelain')) refuse('some changes are not committed.');
if (git('tag', '--list', tag)) refuse(`the tag ${tag} exists.`);

/** npm compares the repository with the provenance, and n8n's scanner reads the source there. */
function repositoryOf(remote) {
	const [, path] =
		/^(?:https:\/\/|(?:ssh:\/\/)?git@)github\.com[/:]([\w.-]+\/[\w.-]+?)(?:\.git)?\/?$/.exec(
			remote,
		) ?? refuse(`the remote origin is no repository on GitHub: ${remote || 'there is none'}.`);
	return `https://github.com/${path}`;
}

async function askForAuthor() {
	if (!process.stdin.isTTY) return '';
	const terminal = createInterface({ input: process.stdin, output: process.stdout });
	const answer = await terminal.question('Author of the package, as Name <address>: ');
	terminal.close();
	return answer;
}

function authorOf(text) {
	const [, name, email] =
		/^\s*([^<>]+?)\s*<([^<>\s]+@[^<>\s]+)>\s*$/.exec(text) ??
		refuse('an author is needed: npm run release -- --author "Name <address>".');
	return { name, email };
}

const isPlaceholder = (value) => JSON.stringify(value).includes('example.com');
const { author } = parseArgs({ options: { author: { type: 'string' } } }).values;
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
if (isPlaceholder([manifest.homepage, manifest.repository])) {
	// As the user named it: `git remote get-url` would follow `url.<base>.insteadOf`.
	const repository = repositoryOf(git('config', '--default', '', '--get', 'remote.origin.url'));
	manifest.homepage = repository;
	manifest.repository.url = `git+${repository}.git`;
}
if (author !== undefined || isPlaceholder(manifest.author)) {
	manifest.author = authorOf(author ?? (await askForAuthor()));
}

const today = new Date().toISOString().slice(0, 10);
process.on('SIGINT', () => {}); // the command that runs ends by it, and so does the release
writeFileSync('package.json', `${JSON.stringify(manifest, null, '\t')}\n`);
writeFileSync('CHANGELOG.md', changelog.replace(heading, `## ${version} (${today})`));
run(`npm version ${version} --no-git-tag-version --allow-same-version`);
run('npm cit');
run('npm run lint');
run('npm run pack:check');

git('commit', '--all', '--message', `Release ${version}`);
git('tag', '--annotate', tag, '--message', `Release ${version}`);
console.log(`Tagged ${tag}. To publish it: git push --atomic origin ${BRANCH} ${tag}`);
