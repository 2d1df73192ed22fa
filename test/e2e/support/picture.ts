import { join } from 'node:path';

import type { Page } from 'playwright-core';

import { projectRoot } from '../../../dev/projectRoot';

/**
 * Keeps what a page shows for docs/ where KEEP_PICTURES is set: it differs a little each time.
 * @param height of the window in pixels, where more is to be seen
 */
export async function takePicture(page: Page, name: string, height?: number): Promise<void> {
	if (!process.env.KEEP_PICTURES) return;
	const size = page.viewportSize();
	if (size && height) await page.setViewportSize({ ...size, height });
	await page.waitForTimeout(1000); // what moves comes to rest
	await page.screenshot({ path: join(projectRoot, 'docs', `${name}.png`) });
	if (size) await page.setViewportSize(size);
}
