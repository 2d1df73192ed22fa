import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { chromium, selectors, type BrowserContext, type Page } from 'playwright-core';

import { CREDENTIAL } from '../engine/workflows';
import { installN8n } from '../n8n/installation';
import { filesOf, startN8n } from '../n8n/n8n';
import { N8nClient, owner } from '../n8n/n8nClient';
import { expectFree, removeFolder, temporaryFolder } from '../n8n/processes';
import { projectRoot } from '../projectRoot';
import { credentialOf } from '../sandbox/credentialOf';
import { startSandbox, type Sandbox } from '../sandbox/server';
import { readExample } from '../start/readExample';
import { Film } from './film';

const PICTURE = join(projectRoot, 'docs', 'sending.webp');
const WIDTH = 1100;
const EDITOR = { width: WIDTH, height: 470 };
/** With what is shown first, and with the latest message, just as it ends. */
const INBOX = { width: WIDTH, height: 455 };
/** The page tells its address: that of `npm run n8n`. */
const SANDBOX_PORT = 4010;
/** Of a response of the sandbox, so that one sees the messages arrive one after another. */
const DELAY = 1300;

/**
 * `npm run pictures`: films a workflow in n8n and the sandbox's page below, for the README. Needs
 * Debian's packages chromium and webp.
 */
async function main(): Promise<void> {
	const say = (line: string) => void process.stdout.write(`${line}\n`);
	await expectFree(SANDBOX_PORT, 'the sandbox');
	const installation = await installN8n(say);
	const folder = await temporaryFolder();
	const sandbox = await startSandbox({ port: SANDBOX_PORT });
	try {
		await mkdir(filesOf(folder), { recursive: true });
		const n8n = await startN8n('start', { installation, folder });
		try {
			await film(n8n.url, sandbox, folder);
			say(`${PICTURE}: ${Math.round((await stat(PICTURE)).size / 1000)} kB`);
		} finally {
			await n8n.process.stop();
		}
	} finally {
		await sandbox.stop();
		await removeFolder(folder);
	}
}

async function film(url: string, sandbox: Sandbox, folder: string): Promise<void> {
	const client = await N8nClient.open(url);
	await client.addCredential('workchatApi', CREDENTIAL, credentialOf(sandbox));
	const places = { sandbox: sandbox.url, files: filesOf(folder) };
	const { id } = await client.addWorkflow(await readExample('send-feed-video', places));

	selectors.setTestIdAttribute('data-test-id');
	const browser = await chromium.launchPersistentContext(join(folder, 'chromium'), {
		executablePath: '/usr/bin/chromium',
		args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
		env: { ...process.env, HOME: folder, TMPDIR: folder },
	});
	try {
		const editor = await openEditor(browser, `${url}/workflow/${id}`, url);
		const inbox = await openInbox(browser, sandbox.url);
		const filming = await Film.of([editor, inbox], await browser.newPage());
		await wait(800);
		sandbox.misbehave({ kind: 'delay', milliseconds: DELAY }, { times: 3 });
		const button = await editor.getByTestId('execute-workflow-button').boundingBox();
		if (!button) throw new Error('n8n shows no button to execute the workflow');
		await filming.clickOn({ x: button.x + button.width / 2, y: button.y + button.height / 2 });
		await inbox.locator('#messages li[data-to-id]').nth(2).waitFor();
		await editor.getByText('Workflow executed successfully').first().waitFor();
		await wait(1500); // until what n8n says has slid in
		await filming.end(PICTURE, folder);
	} finally {
		await browser.close();
	}
}

async function openEditor(browser: BrowserContext, workflow: string, url: string): Promise<Page> {
	const page = await browser.newPage();
	await page.setViewportSize(EDITOR);
	await page.goto(`${url}/signin`);
	await page.getByTestId('emailOrLdapLoginId').locator('input').fill(owner.email);
	await page.getByTestId('password').locator('input').fill(owner.password);
	await page.getByTestId('form-submit-button').click();
	await page.waitForURL(/workflow|home/);
	await page.goto(workflow);
	await page.getByTestId('canvas-node').first().waitFor();
	await page.getByTestId('zoom-to-fit').click();
	await page.getByTestId('zoom-out-button').click();
	await page.mouse.move(0, 0);
	return page;
}

async function openInbox(browser: BrowserContext, url: string): Promise<Page> {
	const page = await browser.newPage();
	await page.setViewportSize(INBOX);
	await page.goto(url);
	await page.evaluate('document.documentElement.style.zoom = 0.9');
	// What delays the responses is the film's own.
	await page.evaluate('document.querySelector("#waiting").style.display = "none"');
	await page.locator('#connection[data-state=live]').waitFor();
	return page;
}

main().catch((error: Error) => {
	process.stderr.write(`${error.message}\n`);
	process.exitCode = 1;
});
