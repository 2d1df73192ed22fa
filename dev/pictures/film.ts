import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';

import type { Page } from 'playwright-core';

import { projectRoot } from '../projectRoot';

interface Point {
	x: number;
	y: number;
}

/** What the pages showed, as PNG in base64, and where the mouse was being clicked. */
interface Moment {
	at: number;
	shots: string[];
	click?: Point;
}

/** What studio.js gives its page. */
interface Studio {
	composed(shots: string[], click?: Point): Promise<string>;
}

/** Milliseconds between two looks at the pages. */
const LOOK = 120;
/** How long the end is shown before it begins again. */
const LAST = 2500;

/** What several pages show at the same time, one below the other. */
export class Film {
	private readonly moments: Moment[] = [];
	private isRunning = true;
	private click: Point | undefined;
	private readonly shooting: Promise<void>;

	private constructor(
		private readonly pages: Page[],
		private readonly studio: Page,
	) {
		this.shooting = this.shoot();
	}

	/** @param studio an empty page, that of the film */
	static async of(pages: Page[], studio: Page): Promise<Film> {
		await studio.addScriptTag({ path: join(projectRoot, 'dev', 'pictures', 'studio.js') });
		return new Film(pages, studio);
	}

	/** Clicks in the first page, and lets it be seen. */
	async clickOn(point: Point): Promise<void> {
		this.click = point;
		await wait(700);
		await this.pages[0]?.mouse.click(point.x, point.y);
		this.click = undefined;
	}

	/**
	 * Writes it as an animated WebP that begins again and again: `img2webp` keeps what changes from
	 * one moment to the next.
	 * @param folder where it may leave its frames
	 */
	async end(file: string, folder: string): Promise<void> {
		this.isRunning = false;
		await this.shooting;
		await this.look();
		const frames = join(folder, 'frames');
		await mkdir(frames);
		const args = ['-loop', '0', '-lossless'];
		// Only now, as it takes longer than a look.
		for (const [index, { at, shots, click }] of this.moments.entries()) {
			const png = await this.studio.evaluate(
				async (moment) =>
					await (globalThis as unknown as Studio).composed(moment.shots, moment.click),
				{ shots, click },
			);
			const frame = join(frames, `${index}.png`);
			await writeFile(frame, png, 'base64');
			const until = this.moments[index + 1]?.at ?? at + LAST;
			args.push('-d', String(Math.round(until - at)), frame);
		}
		await promisify(execFile)('img2webp', [...args, '-o', file]);
	}

	private async shoot(): Promise<void> {
		while (this.isRunning) {
			const next = performance.now() + LOOK;
			await this.look();
			await wait(Math.max(0, next - performance.now()));
		}
	}

	private async look(): Promise<void> {
		const at = performance.now();
		const [shots, click] = [await Promise.all(this.pages.map(screenshot)), this.click];
		this.moments.push({ at, shots, click });
	}
}

async function screenshot(page: Page): Promise<string> {
	return (await page.screenshot()).toString('base64');
}
