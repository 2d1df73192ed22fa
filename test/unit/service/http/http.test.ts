import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

import { Engine } from '../../../../dev/engine/engine';
import { DOWNLOAD, INSTANCE, KEY, resultOf, SEND, workflowOf } from '../../../support/setup';
import { eventually, stopClockWhileBusy, within } from '../../../support/turns';

/** Whatever a service does instead of answering, Timeout ends it. */

const TIMEOUT = 500;
/** Something that comes in drips may take ten times as long. */
const LONGEST = 10 * TIMEOUT;
/** In turns of 10 ms: until a run has ended whose time is over. */
const GRACE = 200;

/** Answers on a bare connection, until it is closed. */
type Answer = (socket: Socket) => Promise<unknown> | void;

const every = TIMEOUT / 8;
const write =
	(text: string): Answer =>
	(socket) =>
		void socket.write(text);
/** The beginning at once, then one text again and again. */
const repeat =
	(beginning: string, text: string): Answer =>
	async (socket) => {
		socket.write(beginning);
		for (; !socket.closed; await wait(every)) socket.write(text);
	};
/** The beginning at once, then one character after the other. */
const drip =
	(beginning: string, text: string): Answer =>
	async (socket) => {
		socket.write(beginning);
		for (let at = 0; !socket.closed; at = (at + 1) % text.length, await wait(every)) {
			socket.write(text.charAt(at));
		}
	};

const OK = 'HTTP/1.1 200 OK\r\n';
const LONG = `${OK}Content-Length: 1000000\r\n\r\n`;
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;
const SWITCH = 'HTTP/1.1 101 X\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n';

/** Nothing of an answer comes for Timeout. */
const SILENT: Record<string, Answer> = {
	'no byte': () => {},
	'101 with Upgrade': write(SWITCH),
	'101 with Upgrade, and bytes of the new protocol': drip(SWITCH, 'x'),
	'103 again and again': repeat('', 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'),
	'a head in drips': drip(OK, 'X: yyyyyyyyyyyyyyyyyy\r\n'),
};
/** Node takes it for an answer without a body. */
const NO_UPGRADE: Record<string, Answer> = {
	'101 without Upgrade': write('HTTP/1.1 101 X\r\n\r\n'),
};
/** The head comes, and then too little. */
const BROKEN_OFF: Record<string, Answer> = {
	'a head alone': write(LONG),
	'half a body': write(`${LONG}${'{"a":'.repeat(1000)}`),
	'half a body without a length': write(`${OK}\r\n{"ok":true,`),
	'no last chunk': write(`${CHUNKED}2\r\n{}\r\n`),
	"a chunk's extension in drips": drip(`${CHUNKED}2;`, 'x'),
	'a trailer in drips': drip(`${CHUNKED}2\r\n{}\r\n0\r\nX: `, 'y'),
};
/** Something comes all the time, but next to nothing. */
const DRIPPING: Record<string, Answer> = {
	'a body in drips': drip(LONG, '{"ok":true,"code":0,"data":"'),
	'white space in drips': drip(LONG, ' '),
	'chunks in drips': repeat(CHUNKED, '1\r\n{\r\n'),
	'white space without end': repeat('HTTP/1.1 500 X\r\n\r\n', ' '.repeat(600)),
	'an envelope without end': repeat(`${OK}\r\n{"ok":true,"data":"`, 'x'.repeat(600)),
	'an error page in drips': drip('HTTP/1.1 500 X\r\nContent-Type: text/html\r\n\r\n', '<html>'),
};

let url: string;
let engine: Engine;
interface Wire {
	requests: number;
	isClosed: boolean;
}

/** What happened on the wire of each answer. */
const wires = new Map<string, Wire>();
/** The answers, by their names in a URL. */
const answers = new Map<string, Answer>();
const server = createServer((socket) => {
	socket.on('error', () => {});
	let received = '';
	socket.on('data', (part) => {
		const isBegun = received.includes('\r\n\r\n');
		received += String(part);
		if (isBegun || !received.includes('\r\n\r\n')) return;
		const path = /^\S+ (\S+)/.exec(received)?.[1] ?? '';
		const [, role, id = ''] = path.split('/');
		const name = decodeURIComponent(id);
		if (role === 'link') {
			// Beside what is tested here: an envelope that leads to it.
			const data = { link: `${url}/file/${id}` };
			const text = JSON.stringify({ ok: true, code: 0, request_id: 'svc_1', data });
			return void socket.end(`${OK}Content-Length: ${text.length}\r\n\r\n${text}`);
		}
		const wire = wires.get(name)!;
		wire.requests++;
		socket.on('close', () => (wire.isClosed = true));
		void answers.get(name)?.(socket);
	});
});

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
	const settings = { onError: 'continueRegularOutput' } as const;
	const running = engine.begin(workflowOf([item], { ...parameters, options }, settings));
	return { wire: wires.get(id)!, running, began: Date.now() };
}

async function endingOf(operation: Operation, name: string, answer: Answer, time: number) {
	const { wire, running, began } = await begin(operation, name, answer);
	const run = await within(time / 10 + GRACE, running.finished);
	// By the clock that never stands still, as axios's own timeout goes by it; it shows whole milliseconds.
	const isEarly = Date.now() - began < time - 1;
	await eventually(() => wire.isClosed, 100);
	const { error } = resultOf(run).items[0]?.json ?? {};
	return { error, requests: wire.requests, isEarly };
}

const SECONDS = `${TIMEOUT / 1000} s`;
const KINDS: Array<[string, Record<string, Answer>, number, RegExp]> = [
	['silence', SILENT, TIMEOUT, /did not answer in time/],
	['101 without Upgrade', NO_UPGRADE, 0, /gave neither an answer|does not give the whole file/],
	['too little', BROKEN_OFF, TIMEOUT, new RegExp(`no byte came for ${SECONDS}`)],
];

async function expectGivenUp(
	operation: Operation,
	all: Record<string, Answer>,
	time: number,
	message: RegExp,
): Promise<void> {
	const endings = Object.entries(all).map(
		async ([name, answer]) => [name, await endingOf(operation, name, answer, time)] as const,
	);
	const error = expect.objectContaining({ message: expect.stringMatching(message) as unknown });
	expect(await Promise.all(endings)).toEqual(
		Object.keys(all).map((name) => [name, { error, requests: 1, isEarly: false }]),
	);
}

const OPERATIONS: Operation[] = ['send', 'download', 'link'];

describe.each(OPERATIONS)('%s', (operation) => {
	const kinds = operation === 'send' ? KINDS : [KINDS[0]!, KINDS[2]!];
	test.each(kinds)('%s: given up, and the connection closed', async (_, ...kind) => {
		await expectGivenUp(operation, ...kind);
	});

	test('cancelled: ended at once, and the connection closed', async () => {
		const all = { ...SILENT, ...BROKEN_OFF, ...DRIPPING };
		const endings = Object.entries(all).map(async ([name, answer]) => {
			const { wire, running } = await begin(operation, `cancelled: ${name}`, answer, 60_000);
			while (wire.requests === 0) await wait(5);
			await wait(TIMEOUT / 4); // Until the head is there, where one comes.
			running.cancel();
			const run = await within(GRACE, running.finished);
			await eventually(() => wire.isClosed, 100);
			return [name, run.status];
		});
		expect(await Promise.all(endings)).toEqual(Object.keys(all).map((name) => [name, 'canceled']));
	});
});

/** Parts that come half of Timeout apart. */
const inParts =
	(parts: string[], head = ''): Answer =>
	async (socket) => {
		socket.write(head);
		for (const part of parts) {
			await wait(TIMEOUT / 2);
			socket.write(part);
		}
		socket.end();
	};
const envelope = JSON.stringify({ ok: true, code: 0, request_id: 'svc_1', data: { sent: 'yes' } });
const pieces = envelope.match(/.{1,15}/g)!;
const bytes = Array.from({ length: 22 }, (_, part) => String(part).repeat(2000));

const SLOW: Array<[string, Operation, Answer]> = [
	['a send without a length', 'send', inParts(pieces, `${OK}\r\n`)],
	['a download in its answer', 'download', inParts(bytes, `${OK}\r\n`)],
];

test('what comes in drips is given up, what comes in parts is not, however long it takes', async () => {
	const tooSlow = /sends its answer too slowly to be waited for/;
	const givenUp = expectGivenUp('send', DRIPPING, LONGEST, tooSlow);
	const all = SLOW.map(async ([name, operation, answer]) => {
		const { running } = await begin(operation, name, answer);
		const [item] = resultOf(await running.finished).items;
		const file = item?.binary?.data && String(await engine.bytesOf(item.binary.data));
		return [name, item?.json.error ?? (operation === 'send' ? item?.json : file)];
	});
	const expected = SLOW.map(([name, operation]) => [
		name,
		operation === 'send' ? JSON.parse(envelope) : bytes.join(''),
	]);
	expect(await Promise.all(all)).toEqual(expected);
	await givenUp;
});
