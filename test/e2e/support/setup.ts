import { mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

import { credentialOf } from '../../../dev/sandbox/credentialOf';
import { startSandbox, type Sandbox } from '../../../dev/sandbox/server';
import { CREDENTIAL } from '../../../dev/engine/workflows';
import { atEnd } from './atEnd';
import { Editor } from './editor';
import { installN8n, type Installation } from '../../../dev/n8n/installation';
import { filesOf, startN8n } from '../../../dev/n8n/n8n';
import { N8nClient, type Session } from '../../../dev/n8n/n8nClient';
import { removeFolder, temporaryFolder, type Running } from '../../../dev/n8n/processes';

/** The n8n that test files share, and its user folder. */
export interface Shared {
	session: Session;
	folder: string;
}

/** What the tests of one file share. */
export interface Here {
	installation: Installation;
	/** Gone after the tests. */
	folder: string;
	/** Where nodes may read and write. */
	files: string;
	sandbox: Sandbox;
	n8n: N8nClient;
}

/** A folder and a sandbox for the tests of one file. */
export function useInstallation(): Pick<Here, 'installation' | 'folder' | 'sandbox'> {
	const here = {} as Here;
	beforeAll(async () => {
		here.installation = await installN8n(() => {}); // It is there already: see globalSetup.
		here.folder = await temporaryFolder();
		atEnd(async () => await removeFolder(here.folder));
		here.sandbox = await startSandbox();
		atEnd(async () => await here.sandbox.stop());
	});
	beforeEach(() => here.sandbox.reset());
	return here;
}

/** A real n8n with the packed node and a credential for the sandbox, which other files had before. */
export function useN8n(): Here {
	const here = useInstallation() as Here;
	beforeAll(async () => {
		const { session, folder } = JSON.parse(process.env.SHARED_N8N ?? '') as Shared;
		here.files = filesOf(folder);
		await rm(here.files, { recursive: true, force: true });
		await mkdir(here.files);
		here.n8n = N8nClient.resume(session);
		await here.n8n.removeCredentials();
		await here.n8n.addCredential('workchatApi', CREDENTIAL, credentialOf(here.sandbox));
	});
	return here;
}

/** The same with an n8n of its own, which has other settings, or is to crash and start again. */
export function useN8nAlone(
	settingsFor: (folder: string) => Promise<Record<string, string>> = async () => ({}),
): Here & { crash(): Promise<void> } {
	const here = useInstallation() as ReturnType<typeof useN8nAlone>;
	let running: Running;
	const start = async (env: Record<string, string>, port?: number) => {
		const { url, process } = await startN8n('start', { ...here, env, port });
		running = process;
		return url;
	};
	beforeAll(async () => {
		here.files = filesOf(here.folder);
		await mkdir(here.files, { recursive: true });
		const env = await settingsFor(here.folder);
		const url = await start(env);
		atEnd(async () => await running.stop());
		here.crash = async () => {
			await running.kill('SIGKILL');
			await running.stop(); // what it started in its turn
			await start(env, Number(new URL(url).port));
		};
		here.n8n = await N8nClient.open(url);
		await here.n8n.addCredential('workchatApi', CREDENTIAL, credentialOf(here.sandbox));
	});
	return here;
}

/** n8n's pages in a browser, which knows them already if another file was there before. */
export function useEditor(here: Here): { editor: Editor } {
	const opened = {} as { editor: Editor };
	beforeAll(async () => {
		opened.editor = await Editor.open(here.n8n.session, dirname(here.files));
		atEnd(async () => await opened.editor.browser.close());
	});
	return opened;
}
