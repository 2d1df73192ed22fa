import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';

import type { IDataObject } from 'n8n-workflow';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';

import { Campaign, VIDEO } from '../unit/examples/campaign';
import { atEnd } from './support/atEnd';
import { eventually } from './support/editor';
import { serve } from './support/servers';

/**
 * The page of a campaign in a browser, behind a proxy with a path, and in the sandbox in which n8n
 * serves it. The recipe's own code gives the facts; no n8n runs.
 */

const SANDBOX =
	'sandbox allow-forms allow-popups allow-popups-to-escape-sandbox allow-scripts allow-top-navigation-by-user-activation';
/** As n8n's page ends the execution of the form, and looks whether another page follows. */
const SCRIPT_OF_N8N = `fetch('', { method: 'POST' }).finally(() => location.reload())`;
const STYLE_OF_N8N = '* { box-sizing: border-box; margin: 0; padding: 0 }';
const EVIL = `<img src=x onerror="window.hit=1">'"&`;

let browser: Browser;
let origin: string;
/** The page as n8n has it, and the row that it looks at. */
let html: string;
let row: Record<string, unknown>;
/** What the page posts: to which path, with which values. */
let posts: Array<Record<string, string>> = [];
let status = 200;
/** What n8n does upon a click. */
let onClick: (values: Record<string, string>) => void = () => {};

beforeAll(async () => {
	browser = await chromium.launch({
		executablePath: '/usr/bin/chromium-headless-shell',
		args: ['--no-sandbox'],
	});
	atEnd(async () => await browser.close());
	origin = await serve(async (request, response) => {
		const { pathname } = new URL(request.url!, 'http://localhost');
		if (request.method === 'GET') {
			const headers = { 'Content-Type': 'text/html', 'Content-Security-Policy': SANDBOX };
			return void response
				.writeHead(pathname.includes('form-waiting') ? 200 : 404, headers)
				.end(html);
		}
		const values = Object.fromEntries(new URLSearchParams(await text(request)));
		await new Promise((r) => setTimeout(r, 400));
		posts.push({ pathname, ...values });
		if (values.action) onClick(values);
		const headers = { 'Access-Control-Allow-Origin': '*', 'Content-Type': 'application/json' };
		response.writeHead(status, headers).end(JSON.stringify(row));
	});
});

beforeEach(() => {
	[posts, status, onClick] = [[], 200, () => {}];
});
afterEach(async () => {
	for (const context of browser.contexts()) await context.close();
});

const TOKEN = 'a'.repeat(64);
const looks = () => posts.filter(({ action }) => !action).length;
const clicks = () => posts.filter(({ action }) => action);

/** Submits the form of a campaign: the page asks. */
async function submit(campaign: Campaign, otherPage: IDataObject = {}) {
	const isAsked = 'sends' in (await campaign.open());
	const { recipe } = campaign;
	if (isAsked) recipe.put('Save Page', [{ token: TOKEN }]);
	if (isAsked) recipe.put('Get Other Pages', [otherPage]);
	recipe.parametersOf('Page Asks for Status').path = 'look';
	recipe.parametersOf('Page Sends Click').path = 'click';
	const page = String(recipe.resolve(recipe.parametersOf('Campaign Page').responseText));
	html = `<!doctype html><meta charset="utf-8"><style>${STYLE_OF_N8N}</style><body>${page}<script>${SCRIPT_OF_N8N}</script></body>`;
	row = { id: 1, token: TOKEN, execution: '', until: '1970-01-01T00:00:00.000Z', stop: '' };
}

/** Sends, and has the row say so. */
async function send(campaign: Campaign, changes: Record<string, unknown> = {}) {
	await campaign.sendAfter({});
	const { progress, execution } = campaign.page;
	row = { ...row, progress, execution, ...changes };
}

/** The progress with other facts. */
const told = (changes: object) => {
	const progress = { ...(JSON.parse(String(row.progress)) as object), ...changes };
	row = { ...row, progress: JSON.stringify(progress) };
};
const SENDING = { state: 'sending', done: 4, total: 12, at: Date.now(), pace: 2, size: 3 };
const later = (ms: number) => new Date(Date.now() + ms).toISOString();

async function newPage(of: Browser | BrowserContext) {
	const page = await of.newPage();
	page.setDefaultTimeout(120_000); // a busy computer only takes longer
	return page;
}
async function open(options: { locale?: string; width?: number } = {}) {
	const { locale = 'en-US', width = 900 } = options;
	const context = await browser.newContext({ locale, viewport: { width, height: 800 } });
	const page = await newPage(context);
	await page.goto(`${origin}/n8n/form-waiting/7?signature=${randomUUID()}`);
	await page.locator('#campaign h1').waitFor();
	return page;
}
const heading = async (page: Page, name: string) =>
	await page.getByRole('heading', { name, exact: true }).waitFor();
const shown = async (page: Page) => await page.locator('#campaign').innerText();
const expectFit = async (page: Page) =>
	expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);

const ids = (count: number) => Array.from({ length: count }, (_, at) => `wx_${1000 + at}`);
const campaignOf = (changes: Partial<Campaign> = {}) =>
	new Campaign([], {
		...{ isNew: true, unwanted: ['wx_1001'], file: ['微信ID', ...ids(13)] },
		videos: [{ ...VIDEO, caughtAt: new Date().toISOString() }],
		...{ click: () => ({}), ...changes },
	});

test.each([
	['en-US', 'Send “spring-offer” to 12 people?', 'Send to 12 people', 'In do-not-contact'],
	['zh-CN', '将“spring-offer”发送给 12 人？', '发送给 12 人', '在退订名单中'],
])(
	'in %s, the page asks with few facts, and an ordinary campaign has no warning',
	async (locale, ...texts) => {
		await submit(campaignOf());
		const page = await open({ locale, width: 390 });
		await page.locator('button').waitFor();
		for (const text of texts) expect(await shown(page)).toContain(text);
		expect(await page.locator('.note').count()).toBe(0);
		expect(await shown(page)).toContain('list.xlsx › 微信ID: wx_1000 … wx_1012');
		expect(await shown(page)).not.toContain('wx_1011');
		await page.locator('summary').click();
		expect(await shown(page)).toContain('wx_1011');
		if (locale === 'zh-CN') expect(await shown(page)).not.toMatch(/[a-z] [a-z]/i);
		else
			expect(await shown(page).then((all) => all.replaceAll('微信ID', ''))).not.toMatch(
				/\p{Script=Han}/u,
			);
		await expectFit(page);
		expect(clicks()).toEqual([]);
	},
);

test('a double click starts one run, with the secret, which is in no address; the page then shows the progress', async () => {
	const campaign = campaignOf();
	await submit(campaign);
	onClick = () => (row = { ...row, execution: '8', until: later(600_000) });
	const page = await open();
	await page.locator('button').dblclick();
	await heading(page, 'Starting …');
	expect(clicks()).toEqual([
		expect.objectContaining({ token: TOKEN, action: 'go', also: '', execution: '' }),
	]);
	const paths = ['/n8n/webhook/look', '/n8n/webhook/click'];
	expect(new Set(posts.map(({ pathname }) => pathname))).toEqual(new Set(paths));
	expect(page.url()).not.toContain(TOKEN);
	await send(campaign, { until: later(600_000) });
	told(SENDING);
	await heading(page, 'Sending');
	expect(await shown(page)).toMatch(/4 of 12\s+about 1 minute left/);
	expect(await page.locator('.counts').innerText()).toMatch(/1\s+Excluded\s+8\s+Remaining/);
});

test('the page of a list of 50,000 says that it starts as long as n8n may be adding it to the table, and no longer', async () => {
	await submit(campaignOf());
	html = html.replace(/"added":\d+/, '"added":50000');
	row = { ...row, execution: '8', until: later(-1_400_000) };
	await heading(await open(), 'Starting …');
	row = { ...row, until: later(-1_600_000) };
	await heading(await open(), 'No progress');
});

test('Stop holds the rest; Continue names their number', async () => {
	const campaign = campaignOf({ stopIn: 2 });
	await submit(campaign);
	await send(campaign, { until: later(600_000) });
	const stopped = row;
	told({ state: 'sending' });
	onClick = () => (row = stopped);
	const page = await open();
	await page.getByRole('button', { name: 'Stop' }).click();
	await heading(page, 'Stopped');
	expect(clicks()).toMatchObject([{ action: 'stop', execution: row.execution }]);
	await page.getByRole('button', { name: 'Continue: 6 people' }).click();
	await eventually(async () => expect(clicks()).toMatchObject([{}, { action: 'go' }]));
	await page.reload();
	await heading(page, 'Stopped');
});

test('the result shows who did not get it and why, and where the table is', async () => {
	const refusal = 'The Workchat service refused: 不是好友 (code 1)';
	const campaign = campaignOf({
		send: (toIds) =>
			toIds.map((toId) =>
				toId === 'wx_1004' ? { error: { outcome: 'rejected', message: refusal } } : {},
			),
	});
	await submit(campaign);
	await send(campaign);
	told({ table: ['project', 'table'] });
	const page = await open();
	await heading(page, 'Done');
	const list = page.getByRole('listitem');
	expect(await list.allInnerTexts()).toEqual([
		`wx_1004\nRejected · ${refusal}`,
		'wx_1001\nIn do-not-contact',
	]);
	const link = await page.getByRole('link').getAttribute('href');
	expect(link).toBe(`${origin}/n8n/projects/project/datatables/table`);
	await page.getByRole('button', { name: 'Continue: 1 person' }).waitFor();
	const chinese = await open({ locale: 'zh-CN', width: 390 });
	expect(await chinese.getByRole('listitem').first().innerText()).toBe(
		'wx_1004\n被拒绝 · 服务拒绝: 不是好友 (code 1)',
	);
	await expectFit(chinese);
});

test.each<[string, () => void, heading: string, words: string]>([
	['is killed', () => (row = { ...row, until: later(-20_000) }), 'No progress', 'been restarted'],
	[
		'stops automatically',
		() => told({ state: 'failed', why: 'full｜满' }),
		'Stopped automatically',
		'full',
	],
])('if a campaign %s, the page says so, and offers to continue', async (_, change, name, words) => {
	const campaign = campaignOf();
	await submit(campaign);
	await send(campaign, { until: later(600_000) });
	told(SENDING);
	change();
	const page = await open();
	await heading(page, name);
	expect(await shown(page)).toContain(words);
	expect(await shown(page)).not.toContain('满');
	await page.getByRole('button', { name: 'Continue' }).click();
	await eventually(async () => expect(clicks()).toMatchObject([{ action: 'go' }]));
});

test('a list that cannot be read: the page says why, and has no button', async () => {
	await submit(campaignOf({ file: ['微信ID'] }));
	const page = await open({ locale: 'zh-CN' });
	await heading(page, '没有发送');
	expect(await shown(page)).toContain('list.xlsx');
	expect(await page.locator('button').count()).toBe(0);
	expect(posts).toEqual([]);
});

test.each<[string, () => void, words: string]>([
	['n8n has deleted the row', () => (row = {}), 'no longer keeps this page'],
	['the workflow is not published', () => (status = 404), 'Publish the workflow'],
	['n8n is down', () => (status = 502), 'Trying again'],
])('if %s, the page says so', async (_, change, words) => {
	await submit(campaignOf());
	change();
	const page = await newPage(browser);
	await page.goto(`${origin}/n8n/form-waiting/7`);
	await page.getByText(words).waitFor();
});

test('if a click has no effect, the page says so', async () => {
	await submit(campaignOf());
	const page = await open();
	await page.getByRole('button', { name: 'Send to 12 people' }).click();
	await page.getByText('n8n did not carry this out').waitFor();
	await page.getByRole('button', { name: 'Send to 12 people' }).waitFor();
});

test('another page that is sending the same campaign is named', async () => {
	await submit(campaignOf(), { id: 3 });
	expect(await shown(await open())).toContain('Another page was sending “spring-offer”');
});

test('people whose outcome is unknown get it again only after a tick', async () => {
	const rows = [{ toId: 'wx_2', status: 'unknown' }, 'wx_3'];
	await submit(new Campaign(rows, { click: () => ({}) }));
	onClick = () => (row = { ...row, execution: '8', until: later(600_000) });
	const page = await open();
	await page.getByRole('button', { name: 'Send to 1 person' }).waitFor();
	await page.getByRole('checkbox').check();
	await page.getByRole('button', { name: 'Send to 2 people' }).click();
	await eventually(async () => expect(clicks()).toMatchObject([{ also: 'unknown' }]));
});

test('nothing in a list, a name, a status or a reason is run as HTML', async () => {
	const rows = [
		{ toId: `${EVIL}1`, status: EVIL },
		{ toId: `wx_2`, name: EVIL },
	];
	const campaign = new Campaign(rows, {
		...{ click: () => ({}), fileName: `${EVIL}.xlsx`, unwanted: [`${EVIL}3`] },
		file: [`${EVIL}|toId`, `${EVIL}|wx_2345`, `${EVIL}|wx_3456`],
		send: (toIds) => toIds.map(() => ({ error: { outcome: 'rejected', message: EVIL } })),
	});
	await submit(campaign);
	const page = await open();
	await page.locator('button').waitFor();
	await send(campaign);
	await page.reload();
	await heading(page, 'Done');
	expect(await shown(page)).toContain(EVIL);
	expect(await page.locator('#campaign img').count()).toBe(0);
	expect(await page.evaluate('window.hit')).toBeUndefined();
});

describe('each look is an execution of n8n', () => {
	/** Requests of the page that have no answer yet. */
	const inFlight = new Set<unknown>();
	const opened = async (change: () => void) => {
		const campaign = campaignOf();
		await submit(campaign);
		await send(campaign, { until: later(1e9) });
		change();
		const page = await newPage(browser);
		inFlight.clear();
		page.on('request', (request) => inFlight.add(request));
		page.on('requestfinished', (request) => inFlight.delete(request));
		await page.clock.install();
		await page.goto(`${origin}/n8n/form-waiting/7`);
		await page.locator('#campaign h1').waitFor();
		return page;
	};
	/** Lets time pass on the page, but none while it waits for an answer. */
	const pass = async (page: Page, minutes: number) => {
		for (let at = 0; at < minutes * 60; at++) {
			await page.clock.runFor(1000);
			await page.evaluate('new Promise((done) => done())');
			while (inFlight.size > 0) await wait(5);
		}
	};

	test('while a campaign is sent, an open page looks ever more rarely, and n8n does not end its execution', async () => {
		const page = await opened(() => told({ ...SENDING, at: Date.now() + 1e9 }));
		await pass(page, 3);
		const first = looks();
		await pass(page, 5);
		const second = looks() - first;
		expect(first).toBeLessThan(40);
		expect(second).toBeLessThan(first / 2);
		expect(second).toBeGreaterThan(3);
		expect(posts.filter(({ pathname }) => pathname?.includes('form-waiting'))).toEqual([]);
	});

	test('a page that asks, or shows a result, looks once', async () => {
		const page = await opened(() => {});
		await pass(page, 3);
		expect(looks()).toBe(1);
	});

	test('a hidden tab makes none, and looks at once when it is shown', async () => {
		const page = await opened(() => told({ ...SENDING, at: Date.now() + 1e9 }));
		const hide = (isHidden: boolean) => `
			Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
			document.dispatchEvent(new Event('visibilitychange'));`;
		await page.evaluate(hide(true));
		await pass(page, 0.2);
		const before = looks();
		await pass(page, 2);
		expect(looks()).toBe(before);
		await page.evaluate(hide(false));
		await eventually(async () => expect(looks()).toBe(before + 1));
	});
});
