import type { IBinaryData } from 'n8n-workflow';

import { CONTINUE } from './messages';
import { json, type OwnServer } from './ownServer';
import { DOWNLOAD, INSTANCE, resultOf, workflowOf } from './setup';

/** The ways in which a service may give a file out. */
export const WAYS = ['link', 'body', 'base64', 'dataUri'] as const;
type Way = (typeof WAYS)[number];

/** What a service gives out where a file is asked for. */
export interface Served {
	content: Buffer | string;
	type?: string | undefined;
	disposition?: string | undefined;
	headers?: Record<string, string>;
	status?: number;
	/** The end of its link. */
	name?: string | undefined;
	fileType?: number;
	fileSize?: number;
	hasNoLength?: boolean;
}

interface Downloaded {
	error: { outcome: string; message: string } | undefined;
	binary: IBinaryData | undefined;
	/** What n8n stored. */
	stored: Buffer | undefined;
}

/** Downloads everything in one run, in one way. */
export async function downloadEach(
	own: OwnServer,
	way: Way,
	all: Served[],
	options: object = {},
): Promise<Downloaded[]> {
	own.answer = ({ body }, response, { url = '' }) => {
		const [, place, number = ''] = url.split('/');
		const isLinked = place === 'file';
		const index = Number(isLinked ? number : body.fileAeskey);
		const served = all[index]!;
		const { content, type, disposition, headers, status = 200, name = '' } = served;
		const base64 = Buffer.from(content).toString('base64');
		const envelope: Record<Way, unknown> = {
			link: `${own.url}/file/${index}/${name}`,
			base64,
			dataUri: `data:${type ?? ''};base64,${base64}`,
			body: undefined,
		};
		if (way !== 'body' && !isLinked) {
			const data = { file: envelope[way] };
			return json(response, { ok: true, code: 0, request_id: 'svc_1', data });
		}
		response.statusCode = status;
		if (type) response.setHeader('content-type', type);
		if (disposition) response.setHeader('content-disposition', disposition);
		response.setHeaders(new Map(Object.entries(headers ?? {})));
		// Neither a length nor chunks: it ends with the connection (RFC 9112, section 6.3).
		if (served.hasNoLength) {
			response.useChunkedEncodingByDefault = false;
			response.removeHeader('content-length');
			response.shouldKeepAlive = false;
			response.write(content);
			return void response.end();
		}
		response.end(content);
	};
	// The File AES Key is their number.
	const items = all.map(({ fileType = 5, fileSize = 1 }, index) => ({
		instanceGuid: INSTANCE,
		fileAeskey: String(index),
		fileAuthkey: 'x',
		fileSize,
		fileType,
		fileUrl: 'https://example.com/x',
	}));
	const parameters = { ...DOWNLOAD, options: { maxTries: 1, maxConcurrency: 10, ...options } };
	const run = await own.engine.run(workflowOf(items, parameters, CONTINUE));
	return await Promise.all(
		resultOf(run).items.map(async ({ json: { error }, binary }) => ({
			error: error as unknown as Downloaded['error'],
			binary: binary?.data,
			stored: binary?.data && (await own.engine.bytesOf(binary.data)),
		})),
	);
}
