import { chromium, selectors, type Browser, type Locator, type Page } from 'playwright-core';

import { owner } from './n8nClient';

/** n8n's pages in Chromium, operated as a person does: by what they show. */
export class Editor {
	private constructor(
		private readonly browser: Browser,
		readonly page: Page,
		private readonly url: string,
	) {}

	/** Logs in as the owner. */
	static async open(url: string, home: string): Promise<Editor> {
		selectors.setTestIdAttribute('data-test-id');
		const browser = await chromium.launch({
			executablePath: '/usr/bin/chromium',
			args: [
				'--no-sandbox', // Chromium refuses to run as root with it
				'--disable-gpu',
				'--disable-background-networking',
				'--disable-component-update',
				'--disable-sync',
			],
			env: { ...process.env, HOME: home },
		});
		const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
		const page = await context.newPage();
		page.setDefaultTimeout(30_000);
		const editor = new Editor(browser, page, url);
		await page.goto(`${url}/signin`);
		await editor.see('emailOrLdapLoginId').locator('input').fill(owner.email);
		await editor.see('password').locator('input').fill(owner.password);
		await editor.see('form-submit-button').click();
		await page.waitForURL(/workflow/);
		return editor;
	}

	async close(): Promise<void> {
		await this.browser.close();
	}

	/** By n8n's own test IDs. */
	see(testId: string): Locator {
		return this.page.getByTestId(testId);
	}

	async goTo(path: string): Promise<void> {
		await this.page.goto(`${this.url}/${path}`);
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
		return this.offered();
	}

	/** What the node creator offers: all of it, or what has just this name. */
	offered(name?: string): Locator {
		const all = this.see('item-iterator-item');
		return name ? all.filter({ has: this.page.getByText(name, { exact: true }) }).first() : all;
	}

	/** Clicks "Execute workflow"; resolves to what n8n says in the end. */
	async execute(): Promise<string> {
		await this.page.getByTestId('execute-workflow-button').click();
		return await this.page.getByRole('alert').last().innerText();
	}

	node(name: string): Locator {
		return this.see('canvas-node').and(this.page.locator(`[data-node-name="${name}"]`));
	}

	/** Opens the node's panel. */
	async openNode(name: string): Promise<void> {
		await this.node(name).dblclick();
		await this.see('ndv').waitFor();
	}

	async closeNode(): Promise<void> {
		await this.see('ndv-close-button').click();
		await this.see('ndv').waitFor({ state: 'hidden' });
	}

	/** The labels of the node's own fields, from the top to the bottom of the open panel. */
	async labels(): Promise<string[]> {
		const labels = this.parameters().locator('label.n8n-input-label').filter({ visible: true });
		return (await labels.allInnerTexts()).map((label) => label.split('\n')[0]?.trim() ?? '');
	}

	label(parameter: string): Locator {
		return this.parameters().locator(`label[for="${parameter}"]`);
	}

	/** What n8n shows when the pointer rests on the sign beside the field's label. */
	async help(parameter: string): Promise<string> {
		await this.label(parameter).hover();
		await this.label(parameter).locator('[class*=infoIcon]').hover();
		const tooltip = this.see('tooltip-content');
		const text = await tooltip.innerText();
		await this.page.mouse.move(0, 0);
		await tooltip.waitFor({ state: 'detached' });
		return text;
	}

	/** Selects an option of a field with a list. */
	async choose(parameter: string, option: string): Promise<void> {
		await this.see(`parameter-input-${parameter}`).locator('input').click();
		await this.page.getByRole('option', { name: option }).click();
	}

	private parameters(): Locator {
		return this.see('node-parameters').first();
	}
}
