import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { CREDENTIAL } from '../../../dev/engine/workflows';
import { installN8n, type Installation } from '../../../dev/n8n/installation';
import { filesOf, startN8n } from '../../../dev/n8n/n8n';
import { N8nClient } from '../../../dev/n8n/n8nClient';
import { temporaryFolder, type Running } from '../../../dev/n8n/processes';
import { startSandbox, type Sandbox } from '../../../dev/sandbox/server';
import { atEnd } from './atEnd';
import { Editor } from './editor';

/** What the tests of one file share. */
export interface Here {
	installation: Installation;
	/** Gone after the tests. */
	folder: string;
	/** Where nodes may read and write. */
	files: string;
	sandbox: Sandbox;
	n8n: N8nClient;
	/** Kills n8n, and starts it again where it was. */
	crash: () => Promise<void>;
}

/** A real n8n with the packed node, and a sandbox that its credential leads to. */
export function useN8n(
	settingsFor: (folder: string) => Promise<Record<string, string>> = async () => ({}),
): Here {
	const here = {} as Here;
	let running: Running;
	let env: Record<string, string>;
	const start = async (port?: number) => {
		const { url, process } = await startN8n('start', { ...here, env, port });
		running = process;
		return url;
	};
	beforeAll(async () => {
		here.installation = await installN8n(() => {}); // It is there already: see globalSetup.
		here.folder = await temporaryFolder();
		here.files = filesOf(here.folder);
		here.sandbox = await startSandbox();
		atEnd(async () => await here.sandbox.stop());
		env = await settingsFor(here.folder);
		const url = await start();
		atEnd(async () => await running.stop());
		here.n8n = await N8nClient.open(url);
		await here.n8n.addCredential('workchatApi', CREDENTIAL, here.sandbox.credential);
	});
	beforeEach(async () => {
		here.sandbox.reset();
		await rm(here.files, { recursive: true, force: true });
		await mkdir(here.files);
	});
	here.crash = async () => {
		await running.kill('SIGKILL');
		await running.stop(); // what it started in its turn
		await start(Number(new URL(here.n8n.url).port));
	};
	return here;
}

/** The files in a folder, by their names. */
export async function contentsOf(folder: string): Promise<Record<string, Buffer>> {
	const named = async (name: string) => [name, await readFile(join(folder, name))];
	return Object.fromEntries(await Promise.all((await readdir(folder)).map(named)));
}

/** With n8n's pages in a browser. */
export function withEditor(here: Here): Here & { editor: Editor } {
	const both = here as Here & { editor: Editor };
	beforeAll(async () => {
		both.editor = await Editor.open(here.n8n, here.folder);
		atEnd(async () => await both.editor.browser.close());
	});
	return both;
}
