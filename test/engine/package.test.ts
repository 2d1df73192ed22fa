import '../../dev/engine/coreEnvironment';

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
