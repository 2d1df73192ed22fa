import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

import { CONTINUE, endsOf } from '../../../support/messages';
import { json, useOwnServer } from '../../../support/ownServer';
import { DOWNLOAD, resultOf, SEND, workflowOf } from '../../../support/setup';
import { eventually, stopClockWhileBusy, within } from '../../../support/turns';

/**
 * Timeout ends every request that gets no response, or an incomplete one, and a message also if its
 * response never ends. Only a download may take longer, while bytes come.
 */

const TIMEOUT = 500;
/** In turns of 10 ms: for a run to end after Timeout. */
const GRACE = 200;

/** Writes to the connection until it is closed. */
type Answer = (socket: Socket) => Promise<unknown> | void;

const write =
	(text: string): Answer =>
	(socket) =>
		void socket.write(text);
/** Writes the beginning at once, then the same text repeatedly. */
const repeat =
	(beginning: string, text: string): Answer =>
	async (socket) => {
		socket.write(beginning);
		for (; !socket.closed; await wait(TIMEOUT / 8)) socket.write(text);
	};

const OK = 'HTTP/1.1 200 OK\r\n';
const LONG = `${OK}Content-Length: 1000000\r\n\r\n`;
const SWITCH = 'HTTP/1.1 101 X\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n';

/** Responses that begin too late, or stop before their end. */
const SILENT: Record<string, Answer> = {
	'no byte': () => {},
	'101 with Upgrade': write(SWITCH),
	'101 with Upgrade, and bytes of the new protocol': repeat(SWITCH, 'x'),
	'103 repeatedly': repeat('', 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'),
	'an endless head': repeat(OK, 'X: y\r\n'),
	'a head byte by byte': repeat('HTTP/1.1 200 ', 'O'),
	'only a head': write(LONG),
	'half a body': write(`${LONG}${'{"a":'.repeat(1000)}`),
	'half a body without a length': write(`${OK}\r\n{"ok":true,`),
	'no last chunk': write(`${OK}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n`),
};

/** Responses that never pause for long, and never end. */
const ENDLESS: Record<string, Answer> = {
	'a blank repeatedly': repeat(LONG, ' '),
	'a blank repeatedly, in chunks': repeat(`${OK}Transfer-Encoding: chunked\r\n\r\n`, '1\r\n \r\n'),
	'a blank repeatedly, without a length': repeat(`${OK}\r\n`, ' '),
	'an envelope byte by byte': repeat(`${LONG}{"ok":true,"code":0,"message":"`, 'a'),
	'a whole envelope, then blanks': repeat(`${LONG}{"ok":true,"code":0}`, '\n'),
	'an error of a gateway, then blanks': repeat(LONG.replace('200 OK', '502 Bad Gateway'), ' '),
};

const own = useOwnServer();
const FILE = { fileAuthkey: 'k', fileSize: 1, fileType: 5, fileUrl: 'https://a.b' };

/** Runs an item for each answer. Returns the output items, and the sockets of the answers. */
async function run(
	operation: 'send' | 'download' | 'link',
	answers: Answer[],
	moreOptions: object = {},
) {
	const sockets: Socket[] = [];
	own.answer = ({ body }, response, { url = '' }) => {
		const number = Number(body.toId ?? body.fileAeskey ?? url.split('/').at(-1)) - 1;
		if (operation === 'link' && !url.startsWith('/file')) {
			return json(response, { ok: true, code: 0, data: { link: `${own.url}/file/${number + 1}` } });
		}
		sockets.push(response.socket!);
		return void answers[number]?.(response.socket!);
	};
	const items = answers.map((_, index) => {
		const number = `${index + 1}`; // A recipient 0 is nobody.
		return { ...FILE, toId: number, fileAeskey: number };
	});
	const all = { timeout: TIMEOUT, maxTries: 1, maxConcurrency: answers.length };
	const options = { ...all, ...moreOptions };
	const parameters = { ...(operation === 'send' ? SEND : DOWNLOAD), options };
	const ended = await within(1000, own.engine.run(workflowOf(items, parameters, CONTINUE)));
	return { sockets, items: resultOf(ended).items };
}

beforeAll(stopClockWhileBusy);
// n8n loads some modules with the first request.
beforeAll(async () => {
	for (const operation of ['send', 'link'] as const) {
		await run(operation, [(socket) => void socket.end()]);
	}
});

const OPERATIONS = ['send', 'download', 'link'] as const;
test.each(OPERATIONS)(
	'after Timeout, a %s is reported as unknown, even if half of its response came, and its connection is closed',
	async (operation) => {
		const answers = Object.values({ ...SILENT, ...(operation === 'send' && ENDLESS) });
		const began = Date.now();
		const { sockets, items } = await within(TIMEOUT / 10 + GRACE, run(operation, answers));
		// By the real clock, which axios's own timeout uses. It has whole milliseconds.
		expect(Date.now() - began).toBeGreaterThanOrEqual(TIMEOUT - 1);
		await eventually(() => sockets.every(({ closed }) => closed));
		expect(sockets).toHaveLength(answers.length);
		const message = expect.stringMatching(/did not answer in time/) as string;
		const errors = items.map(({ json: { error } }) => error);
		expect(errors).toMatchObject(answers.map(() => ({ message, outcome: 'unknown' })));
	},
);

test('if n8n is busy for longer than Timeout, the connection of a late message is closed nevertheless', async () => {
	const beBusy: Answer = async () => {
		await wait(TIMEOUT / 4);
		for (const began = Date.now(); Date.now() - began < 3 * TIMEOUT; );
	};
	const { sockets } = await run('send', [beBusy]);
	await eventually(() => sockets.length === 1 && sockets[0]!.closed);
});

const blanks = repeat(LONG, ' ');
const ok = write(`${OK}Content-Length: 20\r\n\r\n{"ok":true,"code":0}`);

test('a campaign goes on after a response that never ends, and nobody gets a second message', async () => {
	const { sockets, items } = await run('send', [ok, blanks, ok, blanks, ok], {
		maxConcurrency: 1,
		maxTries: 3,
	});
	expect(endsOf(items.map(({ json: each }) => each))).toEqual([
		...['sent', 'unknown', 'sent', 'unknown', 'sent'],
	]);
	expect(sockets).toHaveLength(5);
});

test('each try of Resend if Unknown ends, even if its response never does', async () => {
	const { sockets, items } = await run('send', [blanks], { maxTries: 2, resendUnknown: true });
	expect(items).toMatchObject([{ json: { error: { outcome: 'unknown' } } }]);
	expect(sockets).toHaveLength(2);
});

test('a refused message is reported as rejected, or tried again, even if its response never ends', async () => {
	const refusing = (head: string) => repeat(LONG.replace('200 OK', head), ' ');
	const answers = [refusing('404 Not Found'), refusing('429 X\r\nRetry-After: 1')];
	const { sockets, items } = await run('send', answers, { maxTries: 2 });
	const rejected = { json: { error: { outcome: 'rejected' } } };
	expect(items).toMatchObject([rejected, rejected]);
	expect(sockets).toHaveLength(3);
});

test('a slow response in parts does not time out', async () => {
	const parts = Array.from({ length: 5 }, (_, part) => String(part).repeat(2000));
	const answer: Answer = async (socket) => {
		for (const part of [`${OK}\r\n`, ...parts]) {
			await wait(0.6 * TIMEOUT);
			socket.write(part);
		}
		socket.end();
	};
	const { items } = await run('download', [answer]);
	const { json: sent, binary } = items[0]!;
	expect(sent.error).toBeUndefined();
	expect(String(await own.engine.bytesOf(binary!.data!))).toBe(parts.join(''));
});
