import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import type { Page } from 'playwright-core';

import { projectRoot } from '../projectRoot';
import { animatedWebP, type Still } from './animatedWebP';

interface Changed extends Omit<Still, 'webp' | 'milliseconds'> {
	/** In base64. */
	webp: string;
	canvas: { width: number; height: number };
}

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
	changed(shots: string[], click?: Point): Promise<Changed | undefined>;
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

	async end(): Promise<Buffer> {
		this.isRunning = false;
		await this.shooting;
		await this.look();
		const changes = await this.develop();
		const [first] = changes;
		if (!first) throw new Error('There is nothing on the film');
		const stills = changes.map(({ webp, at, ...still }, index) => {
			const until = changes[index + 1]?.at ?? at + LAST;
			return { ...still, webp: Buffer.from(webp, 'base64'), milliseconds: Math.round(until - at) };
		});
		return animatedWebP(stills, first.canvas);
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

	/** Only afterwards, as it takes longer than a look. */
	private async develop(): Promise<Array<Changed & { at: number }>> {
		const stills = [];
		for (const { at, shots, click } of this.moments) {
			const changed = await this.studio.evaluate(
				async (moment) =>
					await (globalThis as unknown as Studio).changed(moment.shots, moment.click),
				{ shots, click },
			);
			if (changed) stills.push({ ...changed, at });
		}
		return stills;
	}
}

async function screenshot(page: Page): Promise<string> {
	return (await page.screenshot()).toString('base64');
}
