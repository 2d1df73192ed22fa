import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join, relative } from 'node:path';

import execa from 'execa';

import type { WorkflowJson } from '../engine/engine';
import { CREDENTIAL } from '../engine/workflows';
import { projectRoot } from '../projectRoot';
import { startSandbox, type Sandbox } from '../sandbox/server';
import { EXAMPLES, readExample } from '../start/readExample';
import { installN8n, nodeFolder, withTime } from './installation';
import { filesOf, startN8n } from './n8n';
import { N8nClient, owner } from './n8nClient';
import { expectFree } from './ports';

const FOLDER = join(projectRoot, 'dev', 'n8n', '.n8n');
const N8N_PORT = 5678;
const SANDBOX_PORT = 4010;
/** The credential for the sandbox's chat model. */
const CHAT_MODEL = 'Simulated chat model';
/**
 * With these n8n loads a package anew whose files change, and tells its open pages: see
 * `setupHotReload` in load-nodes-and-credentials.js of n8n 2.40.7, which server.js calls.
 */
const RELOADING = { NODE_ENV: 'development', N8N_DEV_RELOAD: 'true' };

/**
 * `npm run dev`: n8n with the node, the sandbox, and everything in place to click Execute. When the
 * node's sources change, n8n loads it anew.
 */
async function main(): Promise<void> {
	if (process.platform === 'win32')
		throw new Error('This runs on Linux and macOS only; on Windows, try WSL.');
	// Asked for early, so that Ctrl-C never leaves something half-started.
	const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
	await expectFree(N8N_PORT, 'n8n');
	await expectFree(SANDBOX_PORT, 'the sandbox');
	const installation = await installN8n(say);
	const sandbox = await startSandbox({ port: SANDBOX_PORT });
	try {
		say('Starting n8n …');
		await mkdir(filesOf(FOLDER), { recursive: true });
		const settings = { installation, folder: FOLDER, port: N8N_PORT, env: RELOADING };
		const n8n = await withTime(say, startN8n('start', settings));
		const watcher = buildOnSave();
		try {
			const where = await furnish(n8n.url, sandbox);
			say(`
Open             http://localhost:${N8N_PORT}${where}
Sandbox          ${sandbox.url}
  API key        ${sandbox.key}
Saved files      ${filesOf(FOLDER)}

Click "Execute workflow" in this one; the sandbox's page shows what arrives. The other examples are there, too.
On its page you can also have the sandbox misbehave, to see what your workflow does then, and post callbacks.
When you save a source of the node, n8n loads it anew. Press Ctrl-C to stop.`);
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

/**
 * Into where n8n has the package, as n8n forgets only modules below that folder: a link would lead
 * out of it.
 */
function buildOnSave() {
	return execa('gulp', ['watch', '-L'], {
		cwd: projectRoot,
		cleanup: false, // else Ctrl-C ends this process before it has stopped the rest
		preferLocal: true,
		env: { DIST: join(nodeFolder(FOLDER), 'dist') },
		stdio: ['ignore', 'inherit', 'inherit'],
	});
}

/** Adds what is not there yet: what the user changed stays as it is. Tells where an example simply runs, and how to log in. */
async function furnish(url: string, sandbox: Sandbox): Promise<string> {
	const client = await N8nClient.open(url).catch(() => undefined);
	if (!client)
		return `/home/workflows\n  log in with    your own password (to begin anew, delete ${FOLDER})`;

	const known = new Set((await client.credentials()).map(({ name }) => name));
	if (!known.has(CREDENTIAL)) {
		await client.addCredential('workchatApi', CREDENTIAL, sandbox.credential);
	}
	if (!known.has(CHAT_MODEL)) {
		await client.addCredential('openAiApi', CHAT_MODEL, sandbox.chatModelCredential);
	}
	const ids = new Map((await client.workflows()).map(({ name, id }) => [name, id]));
	// Relative to where n8n runs, so that saved workflows survive a move of the checkout.
	const places = { sandbox: sandbox.url, files: relative(FOLDER, filesOf(FOLDER)) };
	// n8n lists the latest first.
	for (const example of EXAMPLES.toReversed()) {
		const { nodes, ...workflow } = await readExample(example, places);
		if (ids.has(workflow.name)) continue;
		const withIds = nodes.map((node) => ({ ...node, webhookId: randomUUID() }));
		for (const node of withIds) {
			if (node.type.endsWith('.lmChatOpenAi'))
				node.credentials = { openAiApi: { id: null, name: CHAT_MODEL } };
		}
		const { id } = await client.addWorkflow({ ...workflow, nodes: withIds });
		ids.set(workflow.name, id);
	}
	sandbox.offerWebhooks(async () => await webhooksOf(client));
	const { name } = await readExample('send-feed-video', places);
	return `/workflow/${ids.get(name)}\n  log in with    ${owner.email}\n  password       ${owner.password}`;
}

/** Those of all Workchat Triggers, published ones first; n8n has another address for tests. */
async function webhooksOf(client: N8nClient) {
	const webhooks: Array<Record<'name' | 'url', string>> = [];
	for (const { id } of await client.workflows()) {
		type Workflow = WorkflowJson & { active: boolean };
		const { name, nodes, active } = await client.call<Workflow>('GET', `workflows/${id}`);
		const base = `http://localhost:${N8N_PORT}/webhook${active ? '' : '-test'}`;
		for (const { type, webhookId } of nodes) {
			if (!type.endsWith('.workchatTrigger')) continue;
			const url = `${base}/${webhookId}/workchat`;
			webhooks[active ? 'unshift' : 'push']({ name: active ? name : `${name} (test 测试)`, url });
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
