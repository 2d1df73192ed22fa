import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

import { Engine } from '../dev/engine/engine';
import { samples } from '../dev/sandbox/samples';
import { startSandbox, type Sandbox } from '../dev/sandbox/server';
import { closedPort } from './ownServer';
import { DOWNLOAD, INSTANCE, KEY, recipients, resultOf, SEND, workflowOf } from './setup';

let sandbox: Sandbox;
beforeAll(async () => (sandbox = await startSandbox({ key: KEY })));
afterAll(async () => await sandbox.stop());

/** Waits until the next connection that anybody opens in this process is closed. */
async function firstConnectionClosed(): Promise<void> {
	await new Promise<void>((resolve) => {
		const onSocket = (message: unknown) => {
			unsubscribe('net.client.socket', onSocket);
			(message as { socket: Socket }).socket.once('close', () => resolve());
		};
		subscribe('net.client.socket', onSocket);
	});
}

async function engineFor(credential: object): Promise<Engine> {
	return await Engine.start({
		credential: { apiKey: KEY, defaultInstanceGuid: INSTANCE, ...credential },
	});
}

const operations: Array<[string, object, () => object]> = [
	['send', SEND, () => ({ toId: 'customer-1' })],
	['download', DOWNLOAD, () => sandbox.fieldsOf(samples.document)],
];

describe.each(operations)('%s to a service that is not reached', (_, parameters, item) => {
	test.each<[string, () => object | Promise<object>, string, RegExp, RegExp]>([
		[
			'refused connection',
			async () => ({ baseUrl: `http://127.0.0.1:${await closedPort()}` }),
			'NodeApiError',
			/^The Workchat service could not be reached$/,
			/service is online/,
		],
		[
			'unknown host',
			() => ({ baseUrl: 'http://nobody.invalid' }),
			'NodeApiError',
			/^The Workchat service has an address that could not be found$/,
			/typing errors/,
		],
		[
			'https where the service speaks http',
			() => ({ baseUrl: sandbox.url.replace('http:', 'https:') }),
			'NodeApiError',
			/^The Workchat service does not speak https$/,
			/http:\/\/ instead/,
		],
		[
			'API key that no header can carry',
			() => ({ baseUrl: sandbox.url, apiKey: `${KEY}…` }),
			'NodeOperationError',
			/API key holds characters/,
			/Paste the API key/,
		],
		[
			'no API key',
			() => ({ baseUrl: sandbox.url, apiKey: '' }),
			'NodeOperationError',
			/no API key/,
			/console/,
		],
		['no Base URL', () => ({ baseUrl: '' }), 'NodeOperationError', /no Base URL/, /address/],
		[
			'Base URL without scheme',
			() => ({ baseUrl: 'example.com' }),
			'NodeOperationError',
			/does not begin with https/,
			/Base URL/,
		],
		[
			'Base URL with a fragment',
			() => ({ baseUrl: 'https://example.com/#a' }),
			'NodeOperationError',
			/not the address of a service/,
			/Base URL/,
		],
		[
			'Base URL with a query',
			() => ({ baseUrl: 'https://example.com/?a=1' }),
			'NodeOperationError',
			/not the address of a service/,
			/Base URL/,
		],
	])('%s: certainly not sent', async (_what, credentialOf, name, says, advises) => {
		const engine = await engineFor(await credentialOf());
		const before = sandbox.requests.length;
		const all = { ...parameters, options: { maxTries: 1 } };

		const stopped = resultOf(await engine.run(workflowOf([{ ...item() }], all)));
		expect(stopped.error?.name).toBe(name);
		expect(stopped.error?.message).toMatch(says);
		expect(stopped.error?.description).toMatch(advises);

		const run = await engine.run(
			workflowOf([{ ...item() }], all, { onError: 'continueRegularOutput' }),
		);
		expect(resultOf(run).items[0]?.json.error).toMatchObject({ outcome: 'notSent' });
		expect(JSON.stringify([stopped.error, run])).not.toContain(KEY);
		expect(sandbox.requests).toHaveLength(before);
	});
});

test('slashes at the end of the Base URL do no harm', async () => {
	const engine = await engineFor({ baseUrl: `${sandbox.url}///` });
	const { error } = resultOf(await engine.run(workflowOf(recipients(1), SEND)));
	expect(error).toBeUndefined();
	expect(sandbox.requests.at(-1)?.url).toBe('/workchat/messages/send-feed-video');
});

test('a service that comes up between two tries gets the message, once', async () => {
	const port = await closedPort();
	const engine = await engineFor({ baseUrl: `http://127.0.0.1:${port}` });
	const parameters = { ...SEND, options: { maxTries: 5 } };
	const refused = firstConnectionClosed();
	const running = engine.begin(workflowOf(recipients(1), parameters));
	await refused;
	const late = await startSandbox({ key: KEY, port });
	const { error } = resultOf(await running.finished);
	expect(error).toBeUndefined();
	expect(late.messages).toHaveLength(1);
	await late.stop();
});
