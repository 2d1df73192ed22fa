import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { startSandbox, type Sandbox } from '../../../dev/sandbox/server';
import { CREDENTIAL } from '../../../dev/engine/workflows';
import { atEnd } from './atEnd';
import { Editor } from './editor';
import { installN8n, type Installation } from '../../../dev/n8n/installation';
import { filesOf, startN8n } from '../../../dev/n8n/n8n';
import { N8nClient } from '../../../dev/n8n/n8nClient';
import { removeFolder, temporaryFolder, type Running } from '../../../dev/n8n/processes';

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

/** The first file that needs it starts it. It ends with the worker: the janitor sees to that. */
async function sharedN8n({ installation }: Here): Promise<Started> {
	const note = join(process.env.SHARED ?? '', `worker-${process.env.JEST_WORKER_ID}.json`);
	if (!existsSync(note)) {
		const folder = await temporaryFolder();
		const { url, process: running } = await startN8n('start', { installation, folder });
		running.letGo();
		const { session } = await N8nClient.open(url);
		await writeFile(note, JSON.stringify({ session, folder }));
	}
	const { session, folder } = JSON.parse(await readFile(note, 'utf8'));
	return { n8n: N8nClient.resume(session), folder };
}

type Started = Pick<Here, 'n8n' | 'folder'>;

/** A real n8n with the packed node, and a credential for the sandbox in place of all that it had. */
function useN8nFrom(start: (here: Here) => Promise<Started>): Here {
	const here = useInstallation() as Here;
	beforeAll(async () => {
		const { n8n, folder } = await start(here);
		here.n8n = n8n;
		here.files = filesOf(folder);
		await n8n.removeCredentials();
		await n8n.addCredential('workchatApi', CREDENTIAL, here.sandbox.credential);
	});
	beforeEach(async () => {
		await rm(here.files, { recursive: true, force: true });
		await mkdir(here.files);
	});
	return here;
}

/** The one of this worker of Jest, which other files had before. */
export const useN8n = () => useN8nFrom(sharedN8n);

/** One of its own, which has other settings, or is to crash and start again. */
export function useN8nAlone(
	settingsFor: (folder: string) => Promise<Record<string, string>> = async () => ({}),
) {
	let running: Running;
	let env: Record<string, string>;
	const start = async (port?: number) => {
		const { url, process } = await startN8n('start', { ...here, env, port });
		running = process;
		return url;
	};
	const here = useN8nFrom(async ({ folder }) => {
		env = await settingsFor(folder);
		const n8n = await N8nClient.open(await start());
		atEnd(async () => await running.stop());
		return { n8n, folder };
	});
	const crash = async () => {
		await running.kill('SIGKILL');
		await running.stop(); // what it started in its turn
		await start(Number(new URL(here.n8n.url).port));
	};
	return Object.assign(here, { crash });
}

/** The files in a folder, by their names. */
export async function contentsOf(folder: string): Promise<Record<string, Buffer>> {
	const named = async (name: string) => [name, await readFile(join(folder, name))];
	return Object.fromEntries(await Promise.all((await readdir(folder)).map(named)));
}

/** With n8n's pages in a browser, which knows them already if another file was there before. */
export function withEditor<Place extends Here>(here: Place): Place & { editor: Editor } {
	const both = here as Place & { editor: Editor };
	beforeAll(async () => {
		both.editor = await Editor.open(here.n8n.session, dirname(here.files));
		atEnd(async () => await both.editor.browser.close());
	});
	return both;
}
