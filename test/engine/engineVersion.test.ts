import { join } from 'node:path';

import execa from 'execa';
import { Workflow } from 'n8n-workflow';

import { devDependencies } from '../../package.json';
import { coreRequire } from '../../dev/engine/coreEnvironment';
import { coreVersion } from '../../dev/engine/coreVersion';
import { projectRoot } from '../../dev/projectRoot';

/** `npm run compat` runs the tests on other versions than those that are here. */
const wanted = process.env.N8N_CORE_VERSION ?? devDependencies['n8n-core'];
const [wantedNode] = (process.env.NODE_VERSION ?? process.versions.node).split('.');

test('the tests, and the processes that they start, run on the n8n-core and the Node.js that are named', () => {
	const script = join(projectRoot, 'build', 'dev', 'engine', 'coreVersion.js');
	const print = `console.log(require(${JSON.stringify(script)}).coreVersion)`;
	expect(coreVersion).toBe(wanted);
	expect(execa.sync(process.execPath, ['-e', print]).stdout).toBe(wanted);
	expect(process.versions.node.split('.')[0]).toBe(wantedNode);
	expect(Workflow).toBe(coreRequire('n8n-workflow').Workflow);
});
