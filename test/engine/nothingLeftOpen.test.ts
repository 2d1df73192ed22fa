import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { BinaryDataService } from 'n8n-core';

import { Container } from '../../dev/engine/coreEnvironment';
import type { Misbehaviour } from '../../dev/sandbox/misbehaviour';
import { samples } from '../../dev/sandbox/samples';
import type { DownloadResponse } from '../../dev/sandbox/server';
import { CONTINUE } from '../support/messages';
import { DOWNLOAD, resultOf, useBench, workflowOf } from '../support/setup';
import { eventually } from '../support/turns';

/** A second after a failure no timer, no connection, no memory and no half file is left of it. */

const bench = useBench();
/** As many as leave more memory than {@link NOISE} where each leaves its file. */
const DOWNLOADS = 12;
/** More than a response's first bytes, and than what is on the way between two sockets. */
const LARGE = 2e6;
/** Megabytes by which n8n and Jest grow now and then. */
const NOISE = 10;

/** How many of each kind keep the process busy; the sandbox's side of a connection is one, too. */
function open() {
	const all = process.getActiveResourcesInfo();
	const count = (kind: RegExp) => all.filter((each) => kind.test(each)).length;
	return [count(/^Timeout/), count(/^TCPSocketWrap/), count(/^FSReq/)];
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Without garbage: collected again until what is left is little `enough`. */
async function megabytesHeld(enough = 0): Promise<number> {
	let held = Infinity;
	for (let round = 0; round < 3 && held >= enough; round++) {
		collectGarbage();
		await wait(10);
		const { heapUsed, external } = process.memoryUsage();
		held = (heapUsed + external) / 1e6;
	}
	return held;
}

/** Takes a file in place of n8n's store, and fails. No spy of jest's: that would keep all it is given. */
type Store = (content: AsyncIterable<Buffer>) => Promise<never>;
const fullStore: Store = async (content) => {
	for await (const part of content) throw new Error(`ENOSPC: ${part.length} bytes, write`);
	throw new Error('Nothing came');
};
/** As n8n fails where it cannot open a file: without a look at what it is given. */
const closedStore: Store = async () => {
	await wait(500);
	throw new Error('EACCES: permission denied, open');
};

interface Case {
	answer: DownloadResponse;
	/** Of the file's server. */
	misbehaviour?: Misbehaviour;
	/** Longer than a loaded machine takes for all the heads. */
	timeout?: number;
	store?: Store;
	/** What each item says; without it, all are cancelled once they are under way. */
	end?: RegExp;
}
const stall: Misbehaviour = { kind: 'stall' };
const body: DownloadResponse = { as: 'body', content: LARGE };
const link: DownloadResponse = { as: 'link', content: LARGE };
const small: DownloadResponse = { as: 'link', content: 1e5 };

function begin(timeout = 60_000) {
	const file = { ...bench.sandbox.fieldsOf(samples.video) };
	const options = { maxTries: 1, maxConcurrency: DOWNLOADS, timeout };
	const items = Array<typeof file>(DOWNLOADS).fill(file);
	return bench.engine.begin(workflowOf(items, { ...DOWNLOAD, options }, CONTINUE));
}

async function expectEnd({ end, timeout }: Case) {
	const running = begin(timeout);
	if (!end) {
		await eventually(() => bench.sandbox.requests.length >= DOWNLOADS);
		await wait(100);
		running.cancel();
		expect((await running.finished).status).toBe('canceled');
		return;
	}
	const { items } = resultOf(await running.finished);
	expect(items).toHaveLength(DOWNLOADS);
	for (const { json, binary } of items.splice(0)) {
		expect(binary ? 'it came' : (json.error as { message?: string }).message).toMatch(end);
	}
}

// What n8n loads with the first ones stays.
beforeAll(async () => {
	for (const as of ['body', 'link'] as const) {
		bench.sandbox.answerDownloads({ as, content: 1000 });
		await begin().finished;
	}
	await wait(1000);
});

test.each<[string, Case]>([
	['no store for a body', { answer: body, store: closedStore, end: /could not store/ }],
	['a full store for a file', { answer: link, store: fullStore, end: /ENOSPC/ }],
	[
		'a file that stalls',
		{ answer: small, misbehaviour: stall, timeout: 1000, end: /did not answer in time/ },
	],
	['a file that comes', { answer: link, end: /^it came$/ }],
	['files on their way, cancelled', { answer: link, misbehaviour: stall }],
	['a slow store, cancelled', { answer: link, store: closedStore }],
])('nothing is left open by %s', async (_, wanted) => {
	const { answer, misbehaviour, store } = wanted;
	bench.sandbox.answerDownloads(answer);
	if (misbehaviour) bench.sandbox.misbehave(misbehaviour, { times: Infinity, on: 'file' });
	const most = (await megabytesHeld()) + NOISE;
	const [timers = 0, ...others] = open();
	const service = Container.get(BinaryDataService);
	if (store) service.store = async (_location, content) => await store(content as never);
	await expectEnd(wanted).finally(() => Reflect.deleteProperty(service, 'store'));
	// Node and n8n have a timer of their own now and then.
	const before = [timers + 2, ...others];
	const left = () => open().map((count, kind) => Math.max(0, count - before[kind]!));
	for (let turn = 0; turn < 100 && left().some(Boolean); turn++) await wait(10);
	expect(left()).toEqual([0, 0, 0]);
	expect(await megabytesHeld(most)).toBeLessThan(most);
});
