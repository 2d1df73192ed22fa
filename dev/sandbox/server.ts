import type { AddressInfo } from 'node:net';

import { createApp } from './app';
import { serveChatModel } from './chatModel';
import { serveControl } from './control';
import type { DownloadResponse } from './downloads';
import type { Misbehaviour } from './misbehaviour';
import { servePage } from './page/routes';
import type { Schedule } from './plan';
import { fieldsOf, type Sample } from './samples';
import { serveFiles, serveService } from './service';
import { State } from './state';

interface SandboxOptions {
	/** By default 0, which means any free port. */
	port?: number;
	host?: string;
	key?: string;
	/** Host names that it answers to beside localhost and IP addresses. */
	names?: string[];
}

/** A running sandbox. */
export type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

/** Starts a simulation of the Workchat service, which keeps everything in memory. */
export async function startSandbox({
	port = 0,
	host = '127.0.0.1',
	key = 'demo-key',
	names = [],
}: SandboxOptions = {}) {
	const state = new State();
	const app = createApp(state, key, [...names, host]);
	serveService(app, state);
	serveFiles(app, state);
	serveChatModel(app, state);
	serveControl(app, state);
	servePage(app, state);
	await app.listen({ port, host });
	const url = `http://${host}:${(app.server.address() as AddressInfo).port}`;

	return {
		url,
		key,
		/** The values of a `workchatApi` credential for it. */
		credential: { apiKey: key, baseUrl: url, defaultInstanceGuid: 'fake-instance-guid' },
		/** The values of an `openAiApi` credential for its chat model. */
		chatModelCredential: { apiKey: key, url: `${url}/v1` },
		get chatModel() {
			return state.chatModel;
		},
		/** Bodies of the accepted messages, in the order of acceptance. */
		messages: state.messages,
		/** All requests, in order of arrival, except those for its page and its chat model. */
		requests: state.requests,
		/** The request fields of a sample. */
		fieldsOf: (sample: Sample) => fieldsOf(sample, url),
		misbehave: (misbehaviour: Misbehaviour, schedule: Schedule = {}) =>
			state.plan.add(misbehaviour, schedule),
		answerDownloads: (response: DownloadResponse) => void (state.downloads.response = response),
		/** Lets its page offer these webhooks. They are read each time the page asks for them. */
		offerWebhooks: (webhooks: State['webhooks']) => void (state.webhooks = webhooks),
		/** Deletes messages, requests and callbacks, and cancels all orders. */
		reset: () => state.clear(),
		stop: async () => await app.close(),
	};
}
