import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

import { projectRoot } from '../../dev/projectRoot';

/** Stands in for npm: notes its calls, sets the version, and fails at the command that `FAILS` names. */
const NPM = `#!/bin/sh
echo "$*" >> .git/calls
[ "$*" != "$FAILS" ] || exit 1
[ "$1" = version ] || exit 0
sed 's/"version": ".*"/"version": "1.2.3"/' package.json > .git/package.json
cp .git/package.json package.json
`;
const UNFINISHED = {
	name: 'example',
	version: '1.2.2',
	homepage: 'https://example.com/example',
	author: { name: 'example contributors', email: 'example@example.com' },
	repository: { type: 'git', url: 'git+https://example.com/example.git' },
};
const FINISHED = {
	...UNFINISHED,
	version: '1.2.3',
	homepage: 'https://github.com/someone/example',
	author: { name: 'Some One', email: 'someone@example.org' },
	repository: { type: 'git', url: 'git+https://github.com/someone/example.git' },
};
const AUTHOR = ['--author', 'Some One <someone@example.org>'];

/** Runs what is in a repository, with its npm, and without anybody's settings. */
class Repository {
	constructor(private readonly folder: string) {}

	async git(...args: string[]): Promise<string> {
		return (await this.run('git', args)).trim();
	}

	/** What the release says, and `failed` before it where there is none. */
	async release(args = AUTHOR, env: Record<string, string> = {}): Promise<string> {
		const script = join(projectRoot, 'dev/release/release.mjs');
		try {
			return await this.run(process.execPath, [script, ...args], env);
		} catch (error) {
			return `failed: ${(error as { stderr: string }).stderr}`;
		}
	}

	async read(name: string): Promise<string> {
		return await readFile(join(this.folder, name), 'utf8');
	}

	async manifest(): Promise<object> {
		return JSON.parse(await this.read('package.json'));
	}

	async write(name: string, text: string): Promise<void> {
		await writeFile(join(this.folder, name), text, { mode: 0o755 });
	}

	/** Whether nothing in it is other than at its beginning. */
	async isUntouched(): Promise<boolean> {
		const state = [
			this.git('status', '--porcelain'),
			this.git('tag'),
			this.git('log', '--format=%s'),
		];
		return (await Promise.all(state)).join() === ',,Begin';
	}

	private async run(command: string, args: string[], more: Record<string, string> = {}) {
		const { folder } = this;
		const PATH = [join(folder, '.git', 'bin'), process.env.PATH].join(delimiter);
		const env = { ...process.env, GIT_CONFIG_GLOBAL: join(folder, 'none'), PATH, ...more };
		const { stdout } = await promisify(execFile)(command, args, { cwd: folder, env });
		return stdout;
	}
}

const newFolder = async () => await mkdtemp(join(tmpdir(), 'release-'));
let origin: string;

/** With nothing in it but what a release reads and writes. */
beforeAll(async () => {
	origin = await newFolder();
	const repository = new Repository(origin);
	await repository.git('init', '--quiet', '--initial-branch', 'main');
	await repository.git('config', 'user.name', 'test');
	await repository.git('config', 'user.email', 'test@example.com');
	await repository.git('remote', 'add', 'origin', 'https://github.com/someone/example.git');
	await mkdir(join(origin, '.git', 'bin'));
	await repository.write('.git/bin/npm', NPM);
	await repository.write('package.json', `${JSON.stringify(UNFINISHED, null, '\t')}\n`);
	await repository.write('package-lock.json', '{}\n');
	await repository.write('CHANGELOG.md', '# Changelog\n\n## 1.2.3 (unreleased)\n\n- Something\n');
	await repository.git('add', '.');
	await repository.git('commit', '--quiet', '--message', 'Begin');
});

async function newRepository(remote?: string): Promise<Repository> {
	const folder = await newFolder();
	await cp(origin, folder, { recursive: true });
	const repository = new Repository(folder);
	if (remote) await repository.git('remote', 'set-url', 'origin', remote);
	return repository;
}

test('a release has version, date, repository and author, and was checked as it is tagged', async () => {
	const repository = await newRepository();
	expect(await repository.release()).toContain('git push --atomic origin main v1.2.3');
	expect(await repository.manifest()).toEqual(FINISHED);
	expect(await repository.read('CHANGELOG.md')).toMatch(/^## 1\.2\.3 \(\d{4}-\d\d-\d\d\)$/m);
	expect((await repository.read('.git/calls')).trim().split('\n')).toEqual([
		'version 1.2.3 --no-git-tag-version --allow-same-version',
		...['cit', 'run lint', 'run pack:check'],
	]);
	expect(await repository.git('status', '--porcelain')).toBe('');
	expect(await repository.git('rev-parse', 'v1.2.3^{commit}')).toBe(
		await repository.git('rev-parse', 'HEAD'),
	);
});

test('what was filled in once stays', async () => {
	const repository = await newRepository('git@github.com:someone/fork.git');
	await repository.write('package.json', `${JSON.stringify(FINISHED, null, '\t')}\n`);
	await repository.git('commit', '--quiet', '--all', '--message', 'Filled in');
	expect(await repository.release([])).toContain('Tagged v1.2.3');
	expect(await repository.manifest()).toEqual(FINISHED);
});

test.each(['git@github.com:someone/example.git', 'ssh://git@github.com/someone/example'])(
	'the remote may be %s',
	async (remote) => {
		const repository = await newRepository(remote);
		expect(await repository.release()).toContain('Tagged v1.2.3');
		expect(await repository.manifest()).toEqual(FINISHED);
	},
);

test.each([
	'https://example.com/someone/example.git',
	'https://github.com.example.com/someone/example.git',
	'/somewhere/example.git',
])('the remote may not be %s', async (remote) => {
	const repository = await newRepository(remote);
	expect(await repository.release()).toMatch(/^failed: .*no repository on GitHub/);
	expect(await repository.isUntouched()).toBe(true);
});

test.each([[[]], [['--author', 'Some One']]])('no release with the author %j', async (args) => {
	const repository = await newRepository();
	expect(await repository.release(args)).toMatch(/^failed: .*--author "Name <address>"/);
	expect(await repository.isUntouched()).toBe(true);
});

test('if a check fails, all is as before', async () => {
	const repository = await newRepository();
	expect(await repository.release(AUTHOR, { FAILS: 'run pack:check' })).toMatch(/^failed: .*pack/);
	expect(await repository.isUntouched()).toBe(true);
});

test.each<[string, string, (repository: Repository) => Promise<unknown>]>([
	[
		'on another branch',
		'not the branch main',
		async (repository) => await repository.git('switch', '--quiet', '--create', 'other'),
	],
	[
		'of what is not committed',
		'changes are not committed',
		async (repository) => await repository.write('package-lock.json', '{ }\n'),
	],
	[
		'under a tag that there is',
		'the tag v1.2.3 exists',
		async (repository) => await repository.git('tag', 'v1.2.3'),
	],
	[
		'without a list of changes',
		'CHANGELOG.md has no heading',
		async (repository) => await repository.write('CHANGELOG.md', '# Changelog\n'),
	],
])('no release %s', async (_where, words, change) => {
	const repository = await newRepository();
	await change(repository);
	expect(await repository.release()).toMatch(new RegExp(`^failed: .*${words}`));
});
