import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import type { Page } from 'playwright-core';

import { projectRoot } from '../../dev/projectRoot';

/** Whether pictures are wanted. */
export const isKept = Boolean(process.env.KEEP_PICTURES);

/**
 * Keeps what a page shows for the README, when asked to: it differs a little each time.
 * @param height of the window in pixels, where more is to be seen
 */
export async function takePicture(page: Page, name: string, height?: number): Promise<void> {
	if (!isKept) return;
	const size = page.viewportSize();
	if (size && height) await page.setViewportSize({ ...size, height });
	await page.waitForTimeout(1000); // what moves comes to rest
	const folder = join(projectRoot, 'docs');
	await mkdir(folder, { recursive: true });
	await page.screenshot({ path: join(folder, `${name}.png`) });
	if (size) await page.setViewportSize(size);
}
