import '../../dev/engine/coreEnvironment';

import { exec } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { promisify } from 'node:util';

import { PackageDirectoryLoader } from 'n8n-core';
import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { preProcessFile } from 'typescript';

import { projectRoot } from '../../dev/projectRoot';

const json = (file: string) => JSON.parse(readFileSync(join(projectRoot, file), 'utf8'));
const packageJson = json('package.json');
const { nodes, credentials } = packageJson.n8n;

/** Every file that becomes part of the package, from the checkout's root. */
const sources = ['nodes', 'credentials'].flatMap((folder) =>
	readdirSync(join(projectRoot, folder), { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name).slice(projectRoot.length + 1))
		.map((path) => path.replaceAll('\\', '/')),
);
const built = (source: string) => `dist/${source.replace(/\.ts$/, '.js')}`;

describe('n8n loads from package.json', () => {
	const loader = new PackageDirectoryLoader(projectRoot);
	beforeAll(async () => await loader.loadAll());

	const iconsOf = ({ iconUrl }: { iconUrl?: unknown }) => {
		const { light, dark } = iconUrl as Record<string, string>;
		return [light, dark].map((url) => url?.replace(`icons/${packageJson.name}/`, ''));
	};
	const nodeType = () => loader.getNode('workchat').type as INodeType;
	const credential = () => loader.getCredential('workchatApi').type;

	test('the node, with its codex', () => {
		const { codex, usableAsTool } = nodeType().description;
		expect(loader.loadedNodes).toContainEqual({ name: 'workchat', version: 1 });
		const { categories, alias, resources } = json(built('nodes/Workchat/Workchat.node.json'));
		expect(codex).toEqual({ categories, alias, resources });
		expect(Math.min(categories.length, alias.length)).toBeGreaterThan(0);
		// n8n's own condition for offering a node as a tool of AI agents.
		expect(usableAsTool).toBeTruthy();
	});

	test('the trigger, with its codex and icons', () => {
		const { codex, webhooks, ...description } = loader.getNode('workchatTrigger').type
			.description as INodeTypeDescription;
		expect(loader.loadedNodes).toContainEqual({ name: 'workchatTrigger', version: 2 });
		expect(codex?.alias).toContain('callback');
		expect(webhooks?.map(({ name, httpMethod }) => [name, httpMethod])).toEqual([
			['default', 'POST'],
			['setup', 'GET'],
		]);
		expect(iconsOf(description)).toEqual(iconsOf(nodeType().description));
	});

	test('the credential, which belongs to the node and is tested by it', () => {
		expect(Object.keys(loader.known.credentials)).toEqual(['workchatApi']);
		expect(credential().supportedNodes).toContain('workchat');
		const [{ testedBy } = {}] = nodeType().description.credentials ?? [];
		expect(nodeType().methods?.credentialTest).toHaveProperty(String(testedBy));
	});

	test('the icons of both, light and dark', () => {
		for (const icons of [iconsOf(nodeType().description), iconsOf(credential())]) {
			expect(new Set(icons).size).toBe(2);
			for (const icon of icons) {
				expect(icon).toMatch(/^dist\//);
				expect(readFileSync(join(projectRoot, icon ?? ''), 'utf8')).toContain('</svg>');
			}
		}
	});
});

/** n8n looks for these in files of their own; all other code is in one. */
const isEntry = (source: string) => /\.(node|credentials)\.ts$/.test(source);
const isAsset = (source: string) => !source.endsWith('.ts');

test('npm publishes the built sources and the README, and nothing else', async () => {
	const pack = 'npm pack --dry-run --json --ignore-scripts --offline --no-update-notifier';
	const { stdout } = await promisify(exec)(pack, { cwd: projectRoot, timeout: 100_000 });
	const [{ files, size }] = JSON.parse(stdout);
	const paths = (files as Array<{ path: string }>).map(({ path }) => path);
	expect(paths.filter((path) => path !== 'CHANGELOG.md').sort()).toEqual(
		[
			...['LICENSE.md', 'README.md', 'package.json', 'dist/workchat.js'],
			...sources.filter((source) => isEntry(source) || isAsset(source)).map(built),
		].sort(),
	);
	expect(size).toBeLessThan(64_000);
});

test('the one file of code imports what n8n allows, and has no comments of the sources', () => {
	const code = readFileSync(join(projectRoot, 'dist/workchat.js'), 'utf8');
	const required = [...code.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name]) => name);
	expect(new Set(required)).toEqual(new Set(['n8n-workflow', 'node:crypto']));
	expect(code).not.toMatch(/\/\*\*|import\(/);
});

describe('package.json', () => {
	test('says what n8n and npm look for', () => {
		expect(packageJson).toMatchObject({
			name: 'n8n-nodes-workchat',
			keywords: expect.arrayContaining(['n8n-community-node-package']),
			license: 'MIT',
			files: ['dist'],
			peerDependencies: { 'n8n-workflow': '*' },
			n8n: { n8nNodesApiVersion: 1 },
		});
	});

	test.each([
		...['dependencies', 'optionalDependencies', 'bundledDependencies', 'bundleDependencies'],
		...['overrides', 'resolutions', 'bin'],
		...['preinstall', 'install', 'postinstall', 'prepare'].map((script) => `scripts.${script}`),
	])('has no %s', (key) => {
		expect(packageJson).not.toHaveProperty(key);
	});

	test('names every node and credential, where the build puts them', () => {
		const entries = sources.filter(isEntry);
		expect([...nodes, ...credentials].sort()).toEqual(entries.map(built).sort());
		for (const entry of entries) expect(existsSync(join(projectRoot, built(entry)))).toBe(true);
	});
});

describe('imports', () => {
	/** Each folder of the node, and those it may import from beside itself. */
	const MAY_IMPORT: Record<string, string[]> = {
		credentials: ['service'],
		node: ['operations', 'execution', 'service'],
		operations: ['execution', 'service'],
		execution: ['service'],
		service: [],
	};
	const layerOf = (source: string) => {
		const [top = '', , folder = '', ...inFolder] = source.split('/');
		if (top !== 'nodes') return top;
		return inFolder.length > 0 ? folder : 'node';
	};

	// Types, re-exports, `require` and `import()` are imports as well.
	const imports = sources
		.filter((source) => source.endsWith('.ts'))
		.flatMap((source) =>
			preProcessFile(readFileSync(join(projectRoot, source), 'utf8'), true, true).importedFiles.map(
				({ fileName }) => ({ source, from: fileName }),
			),
		);
	/** The imported file, if it is one of the package. */
	const targetOf = ({ source, from }: { source: string; from: string }) => {
		if (!from.startsWith('.')) return undefined;
		const path = posix.join(posix.dirname(source), from);
		return [`${path}.ts`, `${path}/index.ts`].find((file) => sources.includes(file));
	};

	test('name n8n-workflow, the one module of Node that n8n allows, the one library in the bundle, and files of the package', () => {
		expect(imports).not.toEqual([]);
		const isAllowed = ({ from }: { from: string }) =>
			/^(n8n-workflow|node:crypto|content-disposition)$/.test(from);
		expect(imports.filter((entry) => !isAllowed(entry) && !targetOf(entry))).toEqual([]);
	});

	test('run one way: node, operations, execution, service', () => {
		const against = imports.filter((entry) => {
			const target = targetOf(entry);
			if (!target) return false;
			const [from, to] = [layerOf(entry.source), layerOf(target)];
			return from !== to && !MAY_IMPORT[from]?.includes(to);
		});
		expect(against).toEqual([]);
	});
});
