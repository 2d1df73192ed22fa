import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { chromium, selectors, type BrowserContext, type Locator, type Page } from 'playwright-core';

import { BROWSER_ID, type N8nClient } from '../../../dev/n8n/n8nClient';

/** Tries an expectation until it holds, for a minute or more. */
export async function eventually(expectation: () => Promise<void>): Promise<void> {
	for (let left = 600; left > 0; left--) {
		try {
			return await expectation();
		} catch {
			await wait(100);
		}
	}
	await expectation();
}

/** A headless browser says so, and n8n takes it for a bot, whose approvals do not count (sendAndWait, 2.41). */
const AS_A_PERSON =
	'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

/** n8n's pages in Chromium, operated as a person does: by what they show. */
export class Editor {
	private constructor(
		readonly browser: BrowserContext,
		readonly page: Page,
		private readonly url: string,
	) {}

	/** As the owner, who has logged in. Chromium writes into `home` alone. */
	static async open({ url, cookie }: N8nClient, home: string): Promise<Editor> {
		selectors.setTestIdAttribute('data-test-id');
		const browser = await chromium.launchPersistentContext(join(home, 'chromium'), {
			executablePath: '/usr/bin/chromium-headless-shell',
			args: [
				'--no-sandbox', // with its own sandbox, Chromium does not run as root
				...['--disable-gpu', '--disable-background-networking'],
				...['--disable-component-update', '--disable-sync'],
			],
			env: { ...process.env, HOME: home, TMPDIR: home },
			downloadsPath: home,
			userAgent: AS_A_PERSON,
			viewport: { width: 1400, height: 900 },
			reducedMotion: 'reduce',
		});
		browser.setDefaultTimeout(120_000);
		const [name = '', value = ''] = cookie.split('=');
		await browser.addCookies([{ name, value, url }]);
		await browser.addInitScript(`localStorage.setItem('n8n-browserId', '${BROWSER_ID}')`);
		return new Editor(browser, await browser.newPage(), url);
	}

	/** By n8n's own test IDs. */
	see(testId: string): Locator {
		return this.page.getByTestId(testId);
	}

	/** What is to be seen there is waited for, not all that the page loads. */
	async goTo(path: string): Promise<void> {
		await this.page.goto(`${this.url}/${path}`, { waitUntil: 'commit' });
	}

	async openWorkflow(id: string): Promise<void> {
		await this.goTo(`workflow/${id}`);
		await this.see('canvas-node').first().waitFor();
	}

	/** What the node creator offers for a search in an empty workflow. */
	async searchInNewWorkflow(text: string): Promise<Locator> {
		await this.goTo('workflow/new');
		await this.see('canvas-add-button').click();
		return await this.search(text);
	}

	/** In the node creator, which is open. */
	async search(text: string): Promise<Locator> {
		await this.see('node-creator-search-bar').waitFor();
		await this.page.keyboard.type(text);
		return this.see('item-iterator-item');
	}

	/** What the node creator offers under just this name. */
	offered(name: string): Locator {
		const named = this.page.getByText(name, { exact: true });
		return this.see('item-iterator-item').filter({ has: named }).first();
	}
}
