import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

import { installN8n } from '../../dev/n8n/installation';

/** Where n8n is installed by stand-ins for npm and npx, which note that they were called. */
let folder: string;
const before = process.env.PATH;

const NPM = 'mkdir -p node_modules';
const NPX =
	'node=$npm_config_cache/_npx/bin/node; mkdir -p "${node%/*}"; touch "$node"; echo "$node"';

beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), 'workchat-n8n-'));
	const programs = join(folder, 'programs');
	await mkdir(programs);
	for (const [name, does] of Object.entries({ npm: NPM, npx: NPX })) {
		const file = join(programs, name);
		await writeFile(file, `#!/bin/sh\necho ${name} $1 >> '${folder}/calls'\n${does}\n`);
		await chmod(file, 0o755);
	}
	process.env.PATH = [programs, before].join(delimiter);
});
afterEach(async () => {
	process.env.PATH = before;
	await rm(folder, { recursive: true });
});

/** What was called since the last question. */
async function calls(): Promise<string[]> {
	const file = join(folder, 'calls');
	const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n').filter(Boolean);
	await rm(file, { force: true });
	return lines;
}

async function home(name: string): Promise<string> {
	const made = join(folder, name);
	await mkdir(made);
	await writeFile(join(made, 'package-lock.json'), '{}');
	return made;
}

const install = async (where: string) => await installN8n(() => {}, where);
const isOldNode = Number(process.versions.node.split('.')[0]) < 24;
const lookedUp = isOldNode ? ['npx --yes'] : [];

test('n8n is installed once, and again for another lock', async () => {
	const where = await home('n8n');
	const all = [...lookedUp, 'npm ci', 'npm rebuild'];
	await install(where);
	expect(await calls()).toEqual(all);
	await install(where);
	expect(await calls()).toEqual([]);
	await writeFile(join(where, 'package-lock.json'), '{ }');
	await install(where);
	expect(await calls()).toEqual(all);
});

test('n8n is still installed when its folder was moved, and runs on the Node.js in there', async () => {
	const first = await home('first');
	await install(first);
	await calls();
	const second = join(folder, 'second');
	await rename(first, second);
	const { bin, env } = await install(second);
	expect(await calls()).toEqual([]);
	expect(bin('n8n')).toBe(join(second, 'node_modules', '.bin', 'n8n'));
	const [node] = env.PATH?.split(delimiter) ?? [];
	if (isOldNode) expect(node).toBe(join(second, '.cache', 'npm', '_npx', 'bin'));
});

test('where the Node.js of then is gone, another one is looked for, and n8n stays', async () => {
	const where = await home('n8n');
	await install(where);
	await calls();
	const stamp = join(where, 'node_modules', '.complete.json');
	const told = JSON.parse(await readFile(stamp, 'utf8'));
	await writeFile(stamp, JSON.stringify({ ...told, node: join(folder, 'gone', 'node') }));
	await install(where);
	expect(await calls()).toEqual(lookedUp);
	await install(where);
	expect(await calls()).toEqual([]);
});
