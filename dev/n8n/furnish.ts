import { relative } from 'node:path';

import { CREDENTIAL } from '../engine/workflows';
import { credentialOf } from '../sandbox/credentialOf';
import type { Sandbox } from '../sandbox/server';
import { EXAMPLES, readExample } from '../start/readExample';
import { filesOf } from './n8n';
import { N8nClient, owner } from './n8nClient';

/**
 * Adds what is not there yet: what the user changed stays as it is. Tells how to log in.
 * @param folder n8n's user folder, in which it runs
 */
export async function furnish(url: string, sandbox: Sandbox, folder: string): Promise<string> {
	const client = await N8nClient.open(url).catch(() => undefined);
	if (!client) return `  log in with    your own password (to begin anew, delete ${folder})`;

	if (!(await client.credentials()).some(({ name }) => name === CREDENTIAL)) {
		await client.addCredential('workchatApi', CREDENTIAL, credentialOf(sandbox));
	}
	const present = new Set((await client.workflows()).map(({ name }) => name));
	// From where n8n runs: saved workflows then find the files after the checkout was moved.
	const places = { sandbox: sandbox.url, files: relative(folder, filesOf(folder)) };
	for (const example of EXAMPLES) {
		const workflow = await readExample(example, places);
		if (!present.has(workflow.name)) await client.addWorkflow(workflow);
	}
	return `  log in with    ${owner.email}\n  password       ${owner.password}`;
}
