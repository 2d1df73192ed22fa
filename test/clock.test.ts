import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';

import { json, useOwnServer } from './ownServer';
import {
	DOWNLOAD,
	INSTANCE,
	KEY,
	recipients,
	resultOf,
	SEND,
	workflowOf,
	type NodeSettings,
} from './setup';
import { sampleOf } from './thorough';
import { turnsOf } from './turns';

const own = useOwnServer();
const CONTINUE: NodeSettings = { onError: 'continueRegularOutput' };
const HOUR = 3_600_000;
const file = (index: number) => ({
	fileAeskey: 'fake-aes-key',
	fileAuthkey: 'fake-auth-key',
	fileSize: index + 1,
	fileType: 5,
	fileUrl: 'https://example.com/file',
});

let shift = 0;
const { now } = Date;
beforeEach(() => {
	shift = 0;
	jest.spyOn(Date, 'now').mockImplementation(() => now.call(Date) + shift);
});
afterEach(() => jest.restoreAllMocks());

const SHIFTS: Array<[string, number]> = [
	['back an hour', -HOUR],
	['forward an hour', HOUR],
	['back to 1970', -now.call(Date)],
];

describe.each(sampleOf(SHIFTS, 3))('the wall clock, set %s,', (_, by) => {
	test('changes nothing about Request Interval', async () => {
		const starts: number[] = [];
		own.answer = (_request, response) => {
			starts.push(performance.now());
			if (starts.length === 2) shift = by;
			json(response, { ok: true, code: 0 });
		};
		const parameters = { ...SEND, options: { requestInterval: 400 } };
		const began = performance.now();
		const [run, turns] = await turnsOf(own.engine.run(workflowOf(recipients(5), parameters)));
		expect(run.status).toBe('success');
		expect(turns).toBeLessThan(600);
		// A request may take long to arrive, but it does not arrive before it starts.
		for (const [index, start] of starts.entries()) {
			expect(start - began).toBeGreaterThan(index * 400 - 5);
		}
	});

	test('changes nothing about the wait before a further try', async () => {
		const starts: number[] = [];
		own.answer = (_request, response) => {
			starts.push(performance.now());
			if (starts.length > 1) return json(response, { ok: true, code: 0 });
			setTimeout(() => (shift = by), 300);
			response.setHeader('retry-after', '1');
			json(response, { ok: false, code: 4, message: 'busy' }, 429);
		};
		const [run, turns] = await turnsOf(own.engine.run(workflowOf(recipients(1), SEND)));
		expect(run.status).toBe('success');
		const [first = NaN, second = NaN] = starts;
		expect(second - first).toBeGreaterThan(950);
		expect(turns).toBeLessThan(600);
	});

	test('does not keep a send that gets no answer from ending', async () => {
		own.answer = () => void (shift = by);
		const parameters = { ...SEND, options: { timeout: 400 } };
		const began = performance.now();
		const [run, turns] = await turnsOf(
			own.engine.run(workflowOf(recipients(1), parameters, CONTINUE)),
		);
		expect(resultOf(run).items[0]?.json).toMatchObject({ error: { outcome: 'unknown' } });
		expect(performance.now() - began).toBeGreaterThan(350);
		expect(turns).toBeLessThan(600);
	});

	test('does not end a download that comes', async () => {
		own.answer = async (_request, response) => {
			response.writeHead(200, { 'content-type': 'video/mp4' });
			for (let part = 0; part < 4; part++) {
				response.write(Buffer.alloc(140_000, 1));
				await wait(100);
				if (part === 1) shift = by;
				// Long enough for a look at how long nothing has come.
				if (part === 1) await wait(1500);
			}
			response.end();
		};
		const parameters = { ...DOWNLOAD, options: { timeout: 4000, maxTries: 1 } };
		const run = await own.engine.run(workflowOf([file(0)], parameters));
		expect(resultOf(run).error).toBeUndefined();
		expect(resultOf(run).items[0]?.json).toMatchObject({ file: { bytes: 560_000 } });
	});

	test('does not keep a download that stalls from ending', async () => {
		own.answer = (_request, response) => {
			response.writeHead(200, { 'content-type': 'video/mp4' });
			response.write(Buffer.alloc(70_000, 1));
			setTimeout(() => (shift = by), 100);
		};
		const parameters = { ...DOWNLOAD, options: { timeout: 700, maxTries: 1 } };
		const began = performance.now();
		const [run, turns] = await turnsOf(own.engine.run(workflowOf([file(0)], parameters)));
		expect(resultOf(run).error?.message).toMatch(/no byte came for 0.7 s/);
		expect(performance.now() - began).toBeGreaterThan(650);
		expect(turns).toBeLessThan(800);
	});
});

/** The engine has a process of its own, as its warnings are looked at. */
describe('50 items that wait at the same time draw no warning', () => {
	const waitsFor: Record<string, [parameters: object, items: object[], settings?: NodeSettings]> = {
		'an answer': [{ ...SEND, options: { maxConcurrency: 50 } }, recipients(50)],
		'a further try': [{ ...SEND, options: { maxConcurrency: 50 } }, recipients(50)],
		'their turn': [
			{ ...SEND, options: { maxConcurrency: 50, requestInterval: 10 } },
			recipients(50),
		],
		'a file': [
			{ ...DOWNLOAD, options: { maxConcurrency: 50 } },
			Array.from({ length: 50 }, (_, index) => file(index)),
		],
	};

	test.each(Object.entries(waitsFor))('%s', async (what, [parameters, items]) => {
		const seen = new Set<unknown>();
		own.answer = async ({ body }, response) => {
			const name = body.toId ?? body.fileSize;
			const isFirst = !seen.has(name);
			seen.add(name);
			if (what === 'a further try' && isFirst) {
				response.setHeader('retry-after', '1');
				return json(response, { ok: false, code: 4 }, 429);
			}
			if (what !== 'a file') {
				await wait(300);
				return json(response, { ok: true, code: 0 });
			}
			response.writeHead(200, { 'content-type': 'video/mp4' });
			response.write(Buffer.alloc(70_000, 1));
			await wait(500);
			response.end(Buffer.alloc(70_000, 1));
		};
		const credential = { apiKey: KEY, baseUrl: own.url, defaultInstanceGuid: INSTANCE };
		const runs = [{ workflow: workflowOf(items as [], { ...parameters }), credential }];
		const script = join(__dirname, 'processes', 'engine.js');
		const { stdout, stderr } = await promisify(execFile)(process.execPath, [
			'--trace-warnings',
			script,
			JSON.stringify(runs),
		]);
		expect(JSON.parse(stdout)).toMatchObject([{ items: 50 }]);
		expect(stderr).not.toMatch(/MaxListenersExceeded/);
	});
});
