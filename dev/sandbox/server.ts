import type { AddressInfo } from 'node:net';

import { createApp } from './app';
import { serveControl } from './control';
import type { DownloadResponse } from './downloads';
import { serveFiles } from './files';
import { serveInbox } from './inbox/routes';
import type { Misbehaviour, Schedule } from './misbehaviour';
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
}

/** A running sandbox. */
export interface Sandbox {
	readonly url: string;
	readonly key: string;
	/** Bodies of the accepted messages, in the order of acceptance. */
	readonly messages: Body[];
	/** Every request that came, whatever became of it. Looks at the inbox are none. */
	readonly requests: RecordedRequest[];
	/** The request fields of a sample. */
	fieldsOf(sample: Sample): FileFields;
	misbehave(misbehaviour: Misbehaviour, schedule?: Schedule): void;
	answerDownloads(response: DownloadResponse): void;
	/** Forgets messages, requests, and what it was told to do, and empties the inbox. */
	reset(): void;
	stop(): Promise<void>;
}

/** Starts a stand-in for the Workchat service, which keeps everything in memory. */
export async function startSandbox({
	port = 0,
	host = '127.0.0.1',
	key = 'demo-key',
}: SandboxOptions = {}): Promise<Sandbox> {
	const state = new State();
	const app = createApp(state, key);
	serveService(app, state);
	serveFiles(app, state);
	serveControl(app, state);
	serveInbox(app, state.inbox);
	await app.listen({ port, host });
	const url = `http://${host}:${(app.server.address() as AddressInfo).port}`;

	return {
		url,
		key,
		messages: state.messages,
		requests: state.record.requests,
		fieldsOf: (sample) => fieldsOf(sample, url),
		misbehave: (misbehaviour, schedule = {}) => state.plan.add(misbehaviour, schedule),
		answerDownloads: (response) => {
			state.downloads.response = response;
		},
		reset: () => state.clear(),
		stop: async () => await app.close(),
	};
}
