import type { AddressInfo } from 'node:net';

import { createApp } from './app';
import type { CallbackResult } from './callbacks';
import { serveControl } from './control';
import type { DownloadResponse } from './downloads';
import { serveFiles } from './files';
import type { CallbackKind } from './inventions';
import type { Misbehaviour } from './misbehaviour';
import { servePage } from './page/routes';
import type { Schedule } from './plan';
import type { RecordedRequest } from './record';
import { fieldsOf, type FileFields, type Sample } from './samples';
import { serveService } from './service';
import { State, type Body } from './state';

export type { DownloadResponse } from './downloads';
export type { FileFields } from './samples';

export interface SandboxOptions {
	/** 0, the default, for a free one. */
	port?: number;
	host?: string;
	key?: string;
	/** It answers to, beside localhost and addresses. */
	names?: string[];
}

/** A running sandbox. */
export interface Sandbox {
	readonly url: string;
	readonly key: string;
	/** Bodies of the accepted messages, in the order of acceptance. */
	readonly messages: Body[];
	/** Every request that came, whatever became of it. Looks at the page are none. */
	readonly requests: RecordedRequest[];
	/** The request fields of a sample. */
	fieldsOf(sample: Sample): FileFields;
	misbehave(misbehaviour: Misbehaviour, schedule?: Schedule): void;
	answerDownloads(response: DownloadResponse): void;
	/** Posts a callback of the sandbox's own invention; resolves to what came back, or why nothing did. */
	postCallback(url: string, kind: CallbackKind): Promise<CallbackResult>;
	/** Forgets messages, requests, and what it was told to do. */
	reset(): void;
	stop(): Promise<void>;
}

/** Starts a stand-in for the Workchat service, which keeps everything in memory. */
export async function startSandbox({
	port = 0,
	host = '127.0.0.1',
	key = 'demo-key',
	names = [],
}: SandboxOptions = {}): Promise<Sandbox> {
	const state = new State();
	const app = createApp(state, key, [...names, host]);
	serveService(app, state);
	serveFiles(app, state);
	serveControl(app, state);
	servePage(app, state);
	await app.listen({ port, host });
	const url = `http://${host}:${(app.server.address() as AddressInfo).port}`;

	return {
		url,
		key,
		messages: state.messages,
		requests: state.requests,
		fieldsOf: (sample) => fieldsOf(sample, url),
		misbehave: (misbehaviour, schedule = {}) => state.plan.add(misbehaviour, schedule),
		answerDownloads: (response) => {
			state.downloads.response = response;
		},
		postCallback: async (to, kind) => await state.callbacks.post(to, kind, url),
		reset: () => state.clear(),
		stop: async () => {
			state.callbacks.end();
			await app.close();
		},
	};
}
