import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { Workflow } from 'n8n-workflow';

import { coreRequire } from '../../dev/engine/coreEnvironment';
import { coreVersion } from '../../dev/engine/coreVersion';
import { projectRoot } from '../../dev/projectRoot';

const { devDependencies } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'));

/** `npm run compat` runs the tests on other versions than those that are here. */
const wanted = process.env.N8N_CORE_VERSION ?? devDependencies['n8n-core'];
const [nodeVersion] = (process.env.NODE_VERSION ?? process.versions.node).split('.');

test('the tests run on the n8n-core that they should run on', () => {
	expect(coreVersion).toBe(wanted);
});

test('the tests run on the Node.js that they should run on', () => {
	expect(process.versions.node.split('.')[0]).toBe(nodeVersion);
});

test('so do the processes that they start', async () => {
	const script = join(projectRoot, 'build', 'dev', 'engine', 'coreVersion.js');
	const print = `console.log(require(${JSON.stringify(script)}).coreVersion)`;
	const { stdout } = await promisify(execFile)(process.execPath, ['-e', print]);
	expect(stdout.trim()).toBe(wanted);
});

test("n8n-workflow is n8n-core's own", () => {
	expect(Workflow).toBe(coreRequire('n8n-workflow').Workflow);
});
