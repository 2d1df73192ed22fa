import { rename, rm, writeFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { BinaryDataService } from 'n8n-core';

import { Container } from '../../dev/engine/coreEnvironment';
import type { Misbehaviour } from '../../dev/sandbox/misbehaviour';
import { samples } from '../../dev/sandbox/samples';
import type { DownloadResponse } from '../../dev/sandbox/server';
import { DOWNLOAD, resultOf, useBench, workflowOf } from '../support/setup';

/** A second after a failure no timer, no connection, no memory and no half file is left of it. */

const bench = useBench();
/** As many as leave more memory than {@link NOISE} where each leaves its file. */
const DOWNLOADS = 12;
const CONCURRENCY = 20;
/** More than a response's first bytes, and than what is on the way between two sockets. */
const LARGE = 2e6;
/** Megabytes by which n8n and Jest grow now and then. */
const NOISE = 10;
/** Milliseconds: longer than a loaded machine takes for all the heads. */
const PATIENCE = 1000;

/** How many of each kind keep the process busy; the sandbox's side of a connection is one, too. */
function open(): Record<string, number> {
	const counts: Record<string, number> = {};
	for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
	const { Timeout = 0, TCPSocketWrap = 0, FSReqPromise = 0, FSReqCallback = 0 } = counts;
	return { Timeout, TCPSocketWrap, files: FSReqPromise + FSReqCallback };
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Without garbage: collected again while that lets more go, unless it is little `enough`. */
async function megabytesHeld(enough = 0): Promise<number> {
	let held = Infinity;
	for (let round = 0; round < 3; round++) {
		collectGarbage();
		await wait(10);
		const { heapUsed, external } = process.memoryUsage();
		const before = held;
		held = (heapUsed + external) / 1e6;
		if (held < enough || before - held < 0.1) break;
	}
	return held;
}

interface Case {
	answer?: DownloadResponse;
	misbehaviour?: Misbehaviour;
	on?: 'api' | 'file';
	options?: object;
	/** Makes the store unusable until the returned function is called. */
	spoilStore?: () => Promise<() => Promise<void> | void>;
	message: RegExp;
}

/** A file where n8n keeps its folder of files. */
async function noStore() {
	const { storagePath } = bench.engine;
	await rename(storagePath, `${storagePath}.away`);
	await writeFile(storagePath, '');
	return async () => {
		await rm(storagePath);
		await rename(`${storagePath}.away`, storagePath);
	};
}

/** n8n's store with another way to take a file. No spy of jest's: that would keep all it is given. */
const storeThat = (fails: (content: AsyncIterable<Buffer>) => Promise<never>) => async () => {
	const store = Container.get(BinaryDataService);
	store.store = async (_location, content) =>
		await fails(content as unknown as AsyncIterable<Buffer>);
	return () => void Reflect.deleteProperty(store, 'store');
};

const fullAfter = (bytes: number) =>
	storeThat(async (content) => {
		let taken = 0;
		for await (const part of content) {
			taken += part.length;
			if (taken > bytes) break;
		}
		throw new Error('ENOSPC: no space left on device, write');
	});

/** Fails without a look at the file. */
const closedAfter = (milliseconds: number) =>
	storeThat(async () => {
		await wait(milliseconds);
		throw new Error('EACCES: permission denied, open');
	});

const stall: Misbehaviour = { kind: 'stall' };
const body: DownloadResponse = { as: 'body', content: LARGE };
const link: DownloadResponse = { as: 'link', content: LARGE };
const options = { timeout: PATIENCE };

const CASES: Array<[string, Case]> = [
	['no store for a body', { answer: body, spoilStore: noStore, message: /could not store/ }],
	['a full store for a file', { answer: link, spoilStore: fullAfter(1e6), message: /ENOSPC/ }],
	[
		'a file that stalls',
		{
			answer: { as: 'link', content: 1e5 },
			misbehaviour: stall,
			on: 'file',
			options,
			message: /did not answer in time/,
		},
	],
	// In place of a message.
	['a file that comes', { answer: link, message: /^it came$/ }],
];

/** All of it runs with On Error = Continue. */
function begin({ options: more }: Partial<Case>) {
	const file = { ...bench.sandbox.fieldsOf(samples.video) };
	const items = new Array<typeof file>(DOWNLOADS).fill(file);
	const all = { maxTries: 1, maxConcurrency: CONCURRENCY, ...more };
	return bench.engine.begin(
		workflowOf(items, { ...DOWNLOAD, options: all }, { onError: 'continueRegularOutput' }),
	);
}

/** That all is as before within a second; Node and n8n have a timer of their own now and then. */
async function expectNothingLeft(
	{ answer, misbehaviour, on, spoilStore }: Partial<Case>,
	work: () => Promise<void>,
) {
	if (answer) bench.sandbox.answerDownloads(answer);
	if (misbehaviour) bench.sandbox.misbehave(misbehaviour, { times: Infinity, on });
	const most = (await megabytesHeld()) + NOISE;
	const { Timeout = 0, ...others } = open();
	const repairStore = await spoilStore?.();
	try {
		await work();
	} finally {
		await repairStore?.();
	}
	const isLeft = () => {
		const now = open();
		return (
			now.Timeout! > Timeout + 2 || Object.keys(others).some((kind) => now[kind]! > others[kind]!)
		);
	};
	for (let turn = 0; turn < 100 && isLeft(); turn++) await wait(10);
	expect({ left: isLeft(), ...open() }).toMatchObject({ left: false });
	expect(await megabytesHeld(most)).toBeLessThan(most);
}

// What n8n loads with the first ones stays.
beforeAll(async () => {
	for (const as of ['body', 'link', 'base64'] as const) {
		bench.sandbox.answerDownloads({ as, content: 1000 });
		await begin({}).finished;
	}
	await wait(1000);
});

test.each(CASES)('nothing is left open by %s', async (_, wanted) => {
	await expectNothingLeft(wanted, async () => {
		const { items } = resultOf(await begin(wanted).finished);
		expect(items).toHaveLength(DOWNLOADS);
		for (const { json, binary } of items) {
			const end = binary ? 'it came' : (json.error as { message?: string }).message;
			expect(end).toMatch(wanted.message);
		}
		items.length = 0;
	});
});

const UNDER_WAY: Array<[string, Partial<Case>]> = [
	['files on their way', { answer: link, on: 'file', misbehaviour: stall }],
	['a store that takes its time', { answer: link, spoilStore: closedAfter(500) }],
];

test.each(UNDER_WAY)('nothing is left open where %s are cancelled', async (_, wanted) => {
	await expectNothingLeft(wanted, async () => {
		const running = begin(wanted);
		const atOnce = Math.min(DOWNLOADS, CONCURRENCY);
		while (bench.sandbox.requests.length < atOnce) await wait(5);
		await wait(100);
		running.cancel();
		expect((await running.finished).status).toBe('canceled');
	});
});
