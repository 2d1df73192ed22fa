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
	/** 0, the default, for a free one. */
	port?: number;
	host?: string;
	key?: string;
	/** It answers to, beside localhost and addresses. */
	names?: string[];
}

/** A running sandbox. */
export type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

/** Starts a stand-in for the Workchat service, which keeps everything in memory. */
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
		/** Every request that came, whatever became of it. Looks at the page are none. */
		requests: state.requests,
		/** The request fields of a sample. */
		fieldsOf: (sample: Sample) => fieldsOf(sample, url),
		misbehave: (misbehaviour: Misbehaviour, schedule: Schedule = {}) =>
			state.plan.add(misbehaviour, schedule),
		answerDownloads: (response: DownloadResponse) => void (state.downloads.response = response),
		/** Has its page offer webhooks, asked for anew each time. */
		offerWebhooks: (webhooks: State['webhooks']) => void (state.webhooks = webhooks),
		/** Forgets messages, requests, and what it was told to do. */
		reset: () => state.clear(),
		stop: async () => await app.close(),
	};
}
