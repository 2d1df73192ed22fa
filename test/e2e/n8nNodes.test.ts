import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { projectRoot } from '../../dev/projectRoot';
import { useInstallation } from './setup';

const here = useInstallation();

interface Result {
	/** Names of classes. */
	loaded: string[];
	failed: string[];
}

/** Loads all nodes and credentials of n8n in a process of its own. */
async function loadAll(hidden: string[] = []): Promise<Result> {
	const modules = join(here.installation.bin('n8n'), '..', '..');
	const program = join(projectRoot, 'test', 'e2e', 'loadNodes.js');
	const { stdout } = await promisify(execFile)('node', [program, modules, ...hidden], {
		env: here.installation.env,
		maxBuffer: 10 * 1024 * 1024,
	});
	return JSON.parse(stdout.slice(stdout.lastIndexOf('{"loaded"'))) as Result;
}

test('each node and each credential of n8n itself loads', async () => {
	const { loaded, failed } = await loadAll();
	expect(failed).toEqual([]);
	expect(loaded.length).toBeGreaterThan(1000); // 1,016 in n8n 2.41.1
	expect(loaded).toEqual(expect.arrayContaining(['ExtractFromFile', 'Agent', 'S3']));
});

test('a missing peer is found: without date-fns, Extract from File does not load', async () => {
	const { failed } = await loadAll(['date-fns']);
	expect(failed).toEqual(['ExtractFromFile: date-fns is hidden']);
});
