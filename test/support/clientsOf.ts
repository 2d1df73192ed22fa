import axios, { type AxiosInstance, type AxiosResponse } from 'axios';

import { VIDEO } from '../../dev/engine/workflows';
import type { Sample } from '../../dev/sandbox/samples';
import { startSandbox, type Sandbox } from '../../dev/sandbox/server';

export const SEND = '/workchat/messages/send-feed-video';
export const DOWNLOAD = '/workchat/files/wx-download';
export const message = { instance_guid: 'fake-instance', ...VIDEO, toId: 'customer-1' };

/** Clients of a sandbox without and with its API key, which take every answer as it is. */
function clientsOf({ url, key }: Sandbox): { anyone: AxiosInstance; client: AxiosInstance } {
	const defaults = { baseURL: url, validateStatus: () => true, maxRedirects: 0 };
	return {
		anyone: axios.create(defaults),
		client: axios.create({ ...defaults, headers: { 'X-Service-Key': key } }),
	};
}

/** A sandbox, and how it is called. */
interface Called extends ReturnType<typeof clientsOf> {
	sandbox: Sandbox;
	send(toId?: string): Promise<AxiosResponse>;
	/** The request body that asks for a sample. */
	fileBody(sample: Sample): object;
	download(sample: Sample): Promise<AxiosResponse>;
}

/** The sandbox of a test file: started before its tests, reset before each, stopped after all. */
export function useSandbox(key: string): Called {
	const own: Called = {
		send: async (toId = message.toId) => await own.client.post(SEND, { ...message, toId }),
		fileBody: (sample) => ({ instance_guid: 'fake-instance', ...own.sandbox.fieldsOf(sample) }),
		download: async (sample) => await own.client.post(DOWNLOAD, own.fileBody(sample)),
	} as Called;
	beforeAll(async () => {
		own.sandbox = await startSandbox({ key });
		Object.assign(own, clientsOf(own.sandbox));
	});
	beforeEach(() => own.sandbox.reset());
	afterAll(async () => await own.sandbox.stop());
	return own;
}
