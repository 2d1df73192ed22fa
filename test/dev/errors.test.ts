import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { IRun } from 'n8n-workflow';

import { DeduplicationStandIn } from '../../dev/engine/deduplicationStandIn';
import { projectRoot } from '../../dev/projectRoot';
import { samples } from '../../dev/sandbox/samples';
import type { DownloadResponse } from '../../dev/sandbox/server';
import { dropped } from '../../nodes/Workchat/execution/once/words';
import { answerIn } from '../../nodes/Workchat/service/envelope';
import { asFailure } from '../../nodes/Workchat/service/failure/failure';
import { networkFailure } from '../../nodes/Workchat/service/failure/networkFailure';
import { responseFailure } from '../../nodes/Workchat/service/failure/responseFailure';
import { sending, useCampaigns } from '../support/campaigns';
import { CONTINUE } from '../support/messages';
import { recipients, SEND, useDownload, VIDEO, workflowOf } from '../support/setup';
import { about } from '../support/about';

const { bench, refuse, lose, send } = useCampaigns();
const download = useDownload(bench);

/** All that the node says where everything goes wrong that docs/errors.md is about. */
let said = asFailure(new Error('x'), about).message + dropped(1);
const note = ({ data }: IRun) => void (said += JSON.stringify(data.resultData));

const PAGE = '<!doctype html><title>Sorry</title>';
async function ofService(): Promise<void> {
	for (const error of [{ syscall: 'connect' }, { code: 'ETIMEDOUT' }, { code: 'ECONNRESET' }])
		said += networkFailure(error, about).message;
	const statuses = [302, 401, 403, 404, 429, 500, 503].map((status) => [status, ''] as const);
	const both = '{"code":0,"data":{"success":0}}';
	const others = [
		[401, PAGE],
		[200, PAGE],
		[418, ''],
		[200, both],
	] as const;
	for (const [status, body] of [...statuses, ...others]) {
		const answer = await answerIn(Buffer.from(body), undefined);
		const headers = { location: 'https://example.com', 'retry-after': '7200' };
		said += responseFailure({ status, headers } as never, answer, about).message;
	}
}

async function ofFiles(): Promise<void> {
	const links = ['https://example.com/1', 'https://example.com/2'];
	const answers: Array<Partial<DownloadResponse>> = [
		...[{ data: {} }, { data: links }, { content: Buffer.from('{"ok":false}') }, { content: 1000 }],
		...[{ data: { requestId: 'x' } }, { data: Array(200_001).fill(1) }],
	];
	for (const answer of answers) {
		const options = { requireExactSize: true };
		note((await download(undefined, { answer: { as: 'link', ...answer }, options })).run);
	}
	note((await download([samples.video], { answer: { as: 'fileAndCover', content: 1000 } })).run);
	bench.sandbox.misbehave({ kind: 'httpError', status: 404 }, { on: 'file' });
	note((await download()).run);
}

async function ofValues(): Promise<void> {
	const ids = ['', '0', '\ufffd', 1e17, 'a, b', 'a, b', '123456789012345000'];
	note(await send(ids.map((toId) => ({ toId }))));
	const twice = { toId: 'a', a: VIDEO, b: { ...VIDEO, feedId: 'another' } };
	note(await send([twice], sending({}, { specifyFeedVideo: 'input' })));
}

/** Of messages that may have been sent before. */
async function inDoubt(): Promise<void> {
	const one = recipients(1);
	const video = `$workflow.name === "Test" ? ${SEND.feedVideo} : $("Nowhere").item`;
	const parameters = { feedVideo: `={{ ${video} }}` };
	const retry = async (failed: IRun, name: string, options = {}) => {
		const workflow = workflowOf([], sending(options, parameters), CONTINUE);
		note(await bench.engine.retry({ ...workflow, name }, failed));
	};
	lose('customer-1', 2);
	await retry(await send(one, sending({}, parameters), {}), 'Edited', { resendUnknown: true });
	const keyed = sending({ sendOnceKey: 'spring' });
	note(await send(one, keyed));
	note(await send(one, keyed));
	refuse('customer-1');
	const refused = await send(one, sending({}, parameters), {});
	await retry(refused, 'Test');
	await retry(refused, 'Test');
	lose('customer-1');
	refuse('customer-1');
	note(await send(one, sending({ maxTries: 2, resendUnknown: true })));
	const before = () => {
		throw new Error('the database is gone');
	};
	bench.engine.deduplicator = new DeduplicationStandIn({ before }, bench.engine.workflowId);
	note(await send(one, keyed));
}

test('the node says what docs/errors.md quotes, in both languages', async () => {
	for (const part of [ofService, ofFiles, ofValues, inDoubt]) await part();
	for (const page of ['docs/errors.md', 'docs/zh-CN/errors.md']) {
		const quotes = [...readFileSync(join(projectRoot, page), 'utf8').matchAll(/\*\*(.+?)\*\*/g)];
		expect(quotes.length).toBeGreaterThan(25);
		const parts = quotes.flatMap(([, quote = '']) => quote.split('…'));
		expect(parts.filter((part) => !said.includes(part.trim()))).toEqual([]);
	}
});
