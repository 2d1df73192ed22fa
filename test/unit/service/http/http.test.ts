import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

import { Engine } from '../../../../dev/engine/engine';
import { CONTINUE } from '../../../support/messages';
import { DOWNLOAD, INSTANCE, KEY, resultOf, SEND, workflowOf } from '../../../support/setup';
import { eventually, stopClockWhileBusy, within } from '../../../support/turns';

/** Whatever a service does instead of answering, Timeout ends it. */

const TIMEOUT = 500;
/** In turns of 10 ms: until a run has ended whose time is over. */
const GRACE = 200;

/** Answers on a bare connection, until it is closed. */
type Answer = (socket: Socket) => Promise<unknown> | void;

const write =
	(text: string): Answer =>
	(socket) =>
		void socket.write(text);
/** The beginning at once, then one text again and again. */
const repeat =
	(beginning: string, text: string): Answer =>
	async (socket) => {
		socket.write(beginning);
		for (; !socket.closed; await wait(TIMEOUT / 8)) socket.write(text);
	};

const OK = 'HTTP/1.1 200 OK\r\n';
const LONG = `${OK}Content-Length: 1000000\r\n\r\n`;
const SWITCH = 'HTTP/1.1 101 X\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n';

/** Nothing of an answer comes for Timeout, or too little of it. */
const SILENT: Record<string, Answer> = {
	'no byte': () => {},
	'101 with Upgrade': write(SWITCH),
	'101 with Upgrade, and bytes of the new protocol': repeat(SWITCH, 'x'),
	'103 again and again': repeat('', 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'),
	'a head without end': repeat(OK, 'X: y\r\n'),
	'a head alone': write(LONG),
	'half a body': write(`${LONG}${'{"a":'.repeat(1000)}`),
	'half a body without a length': write(`${OK}\r\n{"ok":true,`),
	'no last chunk': write(`${OK}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n`),
};

let url: string;
let engine: Engine;
interface Wire {
	requests: number;
	isClosed: boolean;
}
/** What happened on the wire of each answer, and the answers, by their names in a URL. */
const wires = new Map<string, Wire>();
const answers = new Map<string, Answer>();
const server = createServer((socket) => {
	socket.on('error', () => {});
	let received = '';
	socket.on('data', (part) => {
		const isBegun = received.includes('\r\n\r\n');
		received += String(part);
		if (isBegun || !received.includes('\r\n\r\n')) return;
		const [, role, id = ''] = (/^\S+ (\S+)/.exec(received)?.[1] ?? '').split('/');
		if (role === 'link') {
			// Beside what is tested here: an envelope that leads to it.
			const text = JSON.stringify({ ok: true, code: 0, data: { link: `${url}/file/${id}` } });
			return void socket.end(`${OK}Content-Length: ${text.length}\r\n\r\n${text}`);
		}
		const name = decodeURIComponent(id);
		const wire = wires.get(name)!;
		wire.requests++;
		socket.on('close', () => (wire.isClosed = true));
		void answers.get(name)?.(socket);
	});
});

const FILE = {
	fileAeskey: 'k',
	fileAuthkey: 'k',
	fileSize: 1,
	fileType: 5,
	fileUrl: 'https://a.b',
};
type Operation = 'send' | 'download' | 'link';

/** Begins a run of an operation against an answer of its own. */
async function begin(operation: Operation, name: string, answer: Answer, timeout = TIMEOUT) {
	const id = `${operation} ${name}`;
	answers.set(id, answer);
	wires.set(id, { requests: 0, isClosed: false });
	const path = `/${operation === 'link' ? 'link' : 'api'}/${encodeURIComponent(id)}`;
	const credential = { apiKey: KEY, defaultInstanceGuid: INSTANCE, baseUrl: url + path };
	engine = await Engine.start({ credential });
	const [parameters, item] = operation === 'send' ? [SEND, { toId: 'customer' }] : [DOWNLOAD, FILE];
	const options = { timeout, maxTries: 1 };
	const running = engine.begin(workflowOf([item], { ...parameters, options }, CONTINUE));
	return { wire: wires.get(id)!, running, began: Date.now() };
}

beforeAll(stopClockWhileBusy);
beforeAll(async () => {
	await once(server.listen(0, '127.0.0.1'), 'listening');
	url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	// n8n loads parts of itself with the first request.
	for (const operation of ['send', 'link'] as const) {
		const { running } = await begin(operation, 'nothing', (socket) => void socket.end());
		await running.finished;
	}
});
afterAll(async () => {
	await engine.stop();
	server.close();
});

async function endingOf(operation: Operation, name: string, answer: Answer) {
	const { wire, running, began } = await begin(operation, name, answer);
	const run = await within(TIMEOUT / 10 + GRACE, running.finished);
	// By the clock that never stands still, as axios's own timeout goes by it; it shows whole milliseconds.
	const isEarly = Date.now() - began < TIMEOUT - 1;
	await eventually(() => wire.isClosed, 100);
	const { message, outcome } = resultOf(run).items[0]?.json.error as Record<string, string>;
	return [name, { message, outcome, requests: wire.requests, isEarly }];
}

describe.each(['send', 'download', 'link'] as const)('%s', (operation) => {
	test('given up, and the connection closed', async () => {
		const endings = Object.entries(SILENT).map(
			async ([name, answer]) => await endingOf(operation, name, answer),
		);
		const message = expect.stringMatching(/did not answer in time/) as string;
		const expected = { message, outcome: 'unknown', requests: 1, isEarly: false };
		expect(await Promise.all(endings)).toEqual(Object.keys(SILENT).map((name) => [name, expected]));
	});

	test('cancelled: ended at once, and the connection closed', async () => {
		const endings = Object.entries(SILENT).map(async ([name, answer]) => {
			const { wire, running } = await begin(operation, `cancelled: ${name}`, answer, 60_000);
			while (wire.requests === 0) await wait(5);
			await wait(TIMEOUT / 4); // Until the head is there, where one comes.
			running.cancel();
			const run = await within(GRACE, running.finished);
			await eventually(() => wire.isClosed, 100);
			return [name, run.status];
		});
		expect(await Promise.all(endings)).toEqual(
			Object.keys(SILENT).map((name) => [name, 'canceled']),
		);
	});
});

/** Parts that come half of Timeout apart. */
const inParts =
	(parts: string[]): Answer =>
	async (socket) => {
		socket.write(`${OK}\r\n`);
		for (const part of parts) {
			await wait(TIMEOUT / 2);
			socket.write(part);
		}
		socket.end();
	};

test('what comes in parts is not given up, however long it takes', async () => {
	const envelope = JSON.stringify({ ok: true, code: 0, request_id: 'svc_1' });
	const bytes = Array.from({ length: 5 }, (_, part) => String(part).repeat(2000));
	const send = await begin('send', 'in parts', inParts(envelope.match(/.{1,15}/g)!));
	const { json } = resultOf(await send.running.finished).items[0]!;
	expect(json).toEqual(JSON.parse(envelope));
	const download = await begin('download', 'in parts', inParts(bytes));
	const { binary } = resultOf(await download.running.finished).items[0]!;
	expect(String(await engine.bytesOf(binary!.data!))).toBe(bytes.join(''));
});
