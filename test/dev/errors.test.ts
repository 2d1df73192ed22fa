import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { IRun } from 'n8n-workflow';

import { DeduplicationStandIn } from '../../dev/engine/deduplicationStandIn';
import { projectRoot } from '../../dev/projectRoot';
import { dropped } from '../../nodes/Workchat/execution/once/words';
import { asFailure } from '../../nodes/Workchat/service/failure/failure';
import { sending } from '../support/campaigns';
import { CONTINUE } from '../support/messages';
import { closedPort, json, text, useOwnServer } from '../support/ownServer';
import {
	DOWNLOAD,
	INSTANCE,
	NODE,
	SEND,
	useMemory,
	VIDEO,
	workflowOf,
	type NodeSettings,
} from '../support/setup';
import { wording } from '../support/wording';

const own = useOwnServer();
useMemory(own);

type Answer = [status: number, body?: unknown, headers?: Record<string, string>];
const PAGE = '<!doctype html><title>Sorry</title>';
const FILE = { fileAuthkey: 'a', fileSize: 1, fileType: 5, fileUrl: 'https://example.com/a' };

/** All that the node says in runs in which everything goes wrong that docs/errors.md is about. */
let said = asFailure(new Error('x'), wording).message + dropped(1);

async function run(items: object[], parameters = {}, options = {}, settings = CONTINUE) {
	const all = sending({ maxConcurrency: 20, ...options }, { ...parameters });
	return note(await own.engine.run(workflowOf(items as never, all, settings)));
}

function note(ran: IRun): IRun {
	said += JSON.stringify(ran.data.resultData.runData[NODE]);
	return ran;
}

/** Answers each item with its own; without one, the connection is closed. */
async function answered(
	answers: Answer[],
	...more: [parameters?: object, options?: object, settings?: NodeSettings]
) {
	own.answer = ({ body }, response, { url = '' }) => {
		const [, link, query] = url.split(/^\/file|\?/);
		const index = Number(body.toId ?? body.fileAeskey);
		const [status, content = '', headers = {}]: Answer =
			link === '' ? [query ? 200 : 404, query] : answers[index]!;
		if (status === 0) return void response.destroy();
		for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
		if (typeof content === 'string') text(response, content, status);
		else json(response, content, status);
	};
	const items = answers.map((_, index) => ({ ...FILE, toId: `${index}`, fileAeskey: `${index}` }));
	return await run(items, ...more);
}

const done = (data: unknown): Answer => [200, { ok: true, code: 0, data }];
const NO = { ok: false, code: 7, message: 'no' };

async function answers(): Promise<void> {
	const statuses = [401, 403, 404, 429, 500, 503].map((status): Answer => [status, {}]);
	const moved: Answer = [302, '', { location: 'https://other.example/' }];
	await answered([...statuses, [401, PAGE], moved, [200, PAGE], [200, NO], [0]]);
	own.answer = () => {};
	await run([{ toId: 'a' }], {}, { timeout: 100 });
	const link = `${own.url}/file`;
	const datas = [{}, [link, `${link}?2`], link, `${link}?{"ok":false}`];
	const file = { ...DOWNLOAD, instanceGuid: INSTANCE };
	await answered(datas.map(done), file);
	await answered([done(Buffer.alloc(900, 'content').toString('base64'))], file, {
		requireExactSize: true,
	});
	own.credential.baseUrl = `http://localhost:${await closedPort()}`;
	await run([{ toId: 'a' }]);
	own.credential.baseUrl = own.url;
}

async function values(): Promise<void> {
	own.answer = (_, response) => json(response, { ok: true, code: 0 });
	const ids = ['', 1e17, 'a, b', 'a, b', '123456789012345000'];
	await run(ids.map((toId) => ({ toId })));
	const twice = { a: VIDEO, b: { ...VIDEO, feedId: 'another' } };
	await run([{ toId: 'a', ...twice }], { specifyFeedVideo: 'input' });
}

/** Messages that may have been sent before. */
async function doubts(): Promise<void> {
	const parameters = {
		feedVideo: `={{ $workflow.name === "Test" ? ${SEND.feedVideo} : $("Nowhere").item }}`,
	};
	const retry = async (failed: IRun, name: string, options = {}) => {
		const workflow = workflowOf([], sending(options, parameters), CONTINUE);
		note(await own.engine.retry({ ...workflow, name }, failed));
	};
	await retry(await answered([[0]], parameters, {}, {}), 'Edited', { resendUnknown: true });
	const refused = await answered([[401]], parameters, {}, {});
	for (let times = 0; times < 2; times++) await retry(refused, 'Test');
	for (let times = 0; times < 2; times++) await answered([[0]], {}, { sendOnceKey: 'spring' });
	let requests = 0;
	own.answer = (_, response) => {
		if (++requests === 1) response.destroy();
		else json(response, {}, 401);
	};
	await run([{ toId: 'a' }], {}, { maxTries: 2, resendUnknown: true });
	const before = () => {
		throw new Error('the database is gone');
	};
	own.engine.deduplicator = new DeduplicationStandIn({ before }, own.engine.workflowId);
	await run([{ toId: 'a' }], {}, { sendOnceKey: 'autumn' });
}

test('the node says what docs/errors.md quotes, in both languages', async () => {
	await answers();
	await values();
	await doubts();
	for (const page of ['docs/errors.md', 'docs/zh-CN/errors.md']) {
		const quotes = [...readFileSync(join(projectRoot, page), 'utf8').matchAll(/\*\*(.+?)\*\*/g)];
		expect(quotes.length).toBeGreaterThan(25);
		const parts = quotes.flatMap(([, quote = '']) => quote.split('…'));
		expect(parts.filter((part) => !said.includes(part.trim()))).toEqual([]);
	}
});
