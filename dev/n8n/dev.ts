import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join, relative } from 'node:path';

import execa from 'execa';

import type { WorkflowJson } from '../engine/engine';
import { CREDENTIAL } from '../engine/workflows';
import { projectRoot } from '../projectRoot';
import { startSandbox, type Sandbox } from '../sandbox/server';
import type { Webhook } from '../sandbox/state';
import { EXAMPLES, readExample } from '../start/readExample';
import { installN8n, nodeFolder, withTime } from './installation';
import { filesOf, startN8n } from './n8n';
import { N8nClient, owner, withWebhooks } from './n8nClient';
import { expectFree } from './ports';

const FOLDER = join(projectRoot, 'dev', 'n8n', '.n8n');
const N8N_PORT = 5678;
const SANDBOX_PORT = 4010;
/** The credential for the sandbox's chat model. */
const CHAT_MODEL = 'Simulated chat model';
/** Instead of the login, when the user has changed it. */
const CHANGED = { email: 'your own', password: 'your own' };
const REMEMBERS = `
The sandbox starts empty, but n8n remembers what it sent before. It does not send a message twice under the
same Send Once Key. To send it again, enter another key. To start from scratch, delete ${FOLDER}.
`;
/**
 * With these, n8n reloads a package whose files change, and its open pages (n8n 2.40.7, `setupHotReload`
 * in load-nodes-and-credentials.js).
 */
const RELOADING = { NODE_ENV: 'development', N8N_DEV_RELOAD: 'true' };

/**
 * `npm run dev`: starts the sandbox and n8n with the node, its credentials and all examples. When a source
 * of the node changes, n8n reloads it.
 */
async function main(): Promise<void> {
	if (process.platform === 'win32')
		throw new Error('npm run dev needs Linux or macOS. On Windows, use WSL (not tested).');
	// From here on, so that Ctrl-C at any time stops what has been started.
	const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
	await expectFree(N8N_PORT, 'n8n');
	await expectFree(SANDBOX_PORT, 'The sandbox');
	const installation = await installN8n(say);
	const sandbox = await startSandbox({ port: SANDBOX_PORT });
	try {
		say('Starting n8n …');
		await mkdir(filesOf(FOLDER), { recursive: true });
		const settings = { installation, folder: FOLDER, port: N8N_PORT, env: RELOADING };
		const n8n = await withTime(say, startN8n('start', settings));
		const watcher = buildOnSave();
		try {
			const { path, login, isFirstStart } = await furnish(n8n.url, sandbox);
			say(`
n8n              http://localhost:${N8N_PORT}${path}
  email          ${login.email}
  password       ${login.password}
Sandbox          ${sandbox.url}
  API key        ${sandbox.key}
Saved files      ${filesOf(FOLDER)}

1. Open both addresses in a browser, and log in to n8n.
2. In n8n, click "Execute workflow". The sandbox's page shows the messages that arrive.
${isFirstStart ? '' : REMEMBERS}
n8n's list of workflows has all other examples. On the sandbox's page, you can simulate failures and post callbacks.
When you save a source file of the node, n8n reloads it. Press Ctrl-C to stop.`);
			await Promise.race([stopped, n8n.process.ending]);
			if (n8n.process.ended) throw new Error(`n8n ended: ${n8n.process.output.slice(-2000)}`);
			say('\nStopping …');
		} finally {
			watcher.kill();
			await n8n.process.stop();
		}
	} finally {
		await sandbox.stop();
	}
}

/** Builds into n8n's own copy of the package: n8n reloads only modules in that folder, and no linked ones. */
function buildOnSave() {
	return execa('gulp', ['watch', '-L'], {
		cwd: projectRoot,
		cleanup: false, // otherwise, Ctrl-C ends this process before it has stopped the rest
		preferLocal: true,
		env: { DIST: join(nodeFolder(FOLDER), 'dist') },
		stdio: ['ignore', 'inherit', 'inherit'],
	});
}

/**
 * Adds the credentials and examples that are missing; what the user has changed stays. Returns the path of
 * the example to start with, and how to log in.
 */
async function furnish(url: string, sandbox: Sandbox) {
	const client = await N8nClient.open(url).catch(() => undefined);
	if (!client) return { path: '/home/workflows', login: CHANGED, isFirstStart: false };

	const known = new Set((await client.credentials()).map(({ name }) => name));
	if (!known.has(CREDENTIAL)) {
		await client.addCredential('workchatApi', CREDENTIAL, sandbox.credential);
	}
	if (!known.has(CHAT_MODEL)) {
		await client.addCredential('openAiApi', CHAT_MODEL, sandbox.chatModelCredential);
	}
	const ids = new Map((await client.workflows()).map(({ name, id }) => [name, id]));
	// Relative to n8n's folder, so that saved workflows still work after the checkout has moved.
	const places = { sandbox: sandbox.url, files: relative(FOLDER, filesOf(FOLDER)) };
	const first = await readExample('send-feed-video', places);
	const isFirstStart = !ids.has(first.name);
	// n8n lists the latest first.
	for (const example of EXAMPLES.toReversed()) {
		const { nodes, ...workflow } = await readExample(example, places);
		if (ids.has(workflow.name)) continue;
		const completed = withWebhooks(nodes);
		for (const node of completed) {
			if (node.type.endsWith('.lmChatOpenAi'))
				node.credentials = { openAiApi: { id: null, name: CHAT_MODEL } };
		}
		const { id } = await client.addWorkflow({ ...workflow, nodes: completed });
		ids.set(workflow.name, id);
	}
	sandbox.offerWebhooks(async () => await webhooksOf(client));
	return { path: `/workflow/${ids.get(first.name)}`, login: owner, isFirstStart };
}

/** The webhooks of all Workchat Triggers, those of published workflows first. */
async function webhooksOf(client: N8nClient): Promise<Webhook[]> {
	const webhooks: Webhook[] = [];
	for (const { id } of await client.workflows()) {
		type Workflow = WorkflowJson & { active: boolean };
		const { name, nodes, active } = await client.call<Workflow>('GET', `workflows/${id}`);
		const base = `http://localhost:${N8N_PORT}/webhook${active ? '' : '-test'}`;
		for (const { type, webhookId } of nodes) {
			if (!type.endsWith('.workchatTrigger')) continue;
			const url = `${base}/${webhookId}/workchat`;
			webhooks[active ? 'unshift' : 'push']({ name, url, isTest: !active });
		}
	}
	return webhooks;
}

function say(line: string): void {
	process.stdout.write(`${line}\n`);
}

main().catch((error: Error) => {
	process.stderr.write(`${error.message}\n`);
	process.exitCode = 1;
});
