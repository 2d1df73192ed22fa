import '../../dev/engine/coreEnvironment';

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import execa from 'execa';
import { PackageDirectoryLoader } from 'n8n-core';
import type { INodeType } from 'n8n-workflow';

import { projectRoot } from '../../dev/projectRoot';

/** As n8n loads the built package: by what its package.json names. */
const loader = new PackageDirectoryLoader(projectRoot);
beforeAll(async () => await loader.loadAll());

const nodeType = (name: string) => loader.getNode(name).type as INodeType;

test('n8n loads both nodes, each with its codex, and the credential as that of the first', () => {
	expect(loader.loadedNodes).toEqual([
		{ name: 'workchat', version: 1 },
		{ name: 'workchatTrigger', version: 2 },
	]);
	const codexWith = (word: string) => {
		const alias = expect.arrayContaining([word]) as string[];
		return { categories: ['Communication', 'Marketing & Content'], alias };
	};
	expect(nodeType('workchat').description.codex).toMatchObject(codexWith('private domain'));
	expect(nodeType('workchatTrigger').description.codex).toMatchObject(codexWith('callback'));
	expect(loader.getCredential('workchatApi').type.supportedNodes).toEqual(['workchat']);
});

/** n8n maps stack traces as this option of Node does. */
test('a stack trace names the source and its line', async () => {
	const fail = `
		const { Workchat } = require('./dist/nodes/Workchat/Workchat.node.js');
		new Workchat().execute.call({}).catch(({ stack }) => console.log(stack));
	`;
	const options = { cwd: projectRoot, nodeOptions: ['--enable-source-maps'] };
	const { stdout } = await execa.node('--eval', [fail], options);
	const [, path = '', line = 0] = /\((\S+\.ts):(\d+):\d+\)/.exec(stdout) ?? [];
	expect(path).toBe(join(projectRoot, 'nodes', 'Workchat', 'Workchat.node.ts'));
	const source = readFileSync(path, 'utf8').split('\n')[Number(line) - 1];
	expect(source).toContain('this.getNodeParameter(');
});
