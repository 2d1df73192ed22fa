import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { readExample, type ExampleName } from '../examples/readExample';
import { projectRoot } from '../sandbox/projectRoot';
import { startSandbox } from '../sandbox/server';
import { installN8n } from './installation';
import { filesOf, startN8n } from './n8n';
import { N8nClient, owner } from './n8nClient';

const FOLDER = join(projectRoot, 'e2e', '.n8n');
const PORT = 5678;
const EXAMPLES: ExampleName[] = ['send-feed-video', 'download-files'];

/** `npm run n8n`: n8n with the node, the sandbox, and everything in place to click Execute. */
async function main(): Promise<void> {
	const installation = await installN8n(say);
	const sandbox = await startSandbox({ port: 4010 });
	try {
		say('Starting n8n …');
		await mkdir(filesOf(FOLDER), { recursive: true });
		const n8n = await startN8n('start', { installation, folder: FOLDER, port: PORT });
		try {
			await furnish(await N8nClient.open(n8n.url), sandbox);
			say(`
n8n              http://localhost:${PORT}
  log in with    ${owner.email}
  password       ${owner.password}
Sandbox          ${sandbox.url}    shows what arrives
Saved files      ${filesOf(FOLDER)}

Open one of the example workflows and click "Execute workflow".
Press Ctrl-C to stop.`);
			await Promise.race([interrupted(), n8n.process.ending]);
			if (n8n.process.ended) throw new Error(`n8n ended: ${n8n.process.output.slice(-2000)}`);
			say('\nStopping …');
		} finally {
			await n8n.process.stop();
		}
	} finally {
		await sandbox.stop();
	}
}

/** Adds what is not there yet: what the user changed stays as it is. */
async function furnish(client: N8nClient, { url, key }: { url: string; key: string }) {
	const credential = 'Workchat account';
	if (!(await client.credentials()).some(({ name }) => name === credential)) {
		await client.addCredential('workchatApi', credential, {
			apiKey: key,
			baseUrl: url,
			defaultInstanceGuid: 'fake-instance-guid',
		});
	}
	const present = new Set((await client.workflows()).map(({ name }) => name));
	for (const example of EXAMPLES) {
		const workflow = await readExample(example, { sandbox: url, files: filesOf(FOLDER) });
		if (!present.has(workflow.name)) await client.addWorkflow(workflow);
	}
}

async function interrupted(): Promise<void> {
	await new Promise<void>((resolve) => {
		process.once('SIGINT', resolve);
		process.once('SIGTERM', resolve);
	});
}

function say(line: string): void {
	process.stdout.write(`${line}\n`);
}

main().catch((error: Error) => {
	process.stderr.write(`${error.message}\n`);
	process.exitCode = 1;
});
