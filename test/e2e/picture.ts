import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import type { Page } from 'playwright-core';

import { projectRoot } from '../../dev/projectRoot';

/** Keeps what a page shows for the README, when asked to: it differs a little each time. */
export async function takePicture(page: Page, name: string): Promise<void> {
	if (!process.env.KEEP_PICTURES) return;
	await page.waitForTimeout(1000); // what moves comes to rest
	const folder = join(projectRoot, 'docs');
	await mkdir(folder, { recursive: true });
	await page.screenshot({ path: join(folder, `${name}.png`) });
}
