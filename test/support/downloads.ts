import { CONTINUE } from './messages';
import { json, type OwnServer } from './ownServer';
import { DOWNLOAD, INSTANCE, resultOf, workflowOf } from './setup';

/** The ways in which a service may give a file out. */
export const WAYS = ['link', 'body', 'base64', 'dataUri'] as const;
type Way = (typeof WAYS)[number];

/** What a service gives out where a file is asked for. */
export interface Served {
	content: Buffer | string;
	headers?: Record<string, string>;
	status?: number;
	/** The end of its link. */
	name?: string;
	fileType?: number;
	fileSize?: number;
	hasNoLength?: boolean;
}

/** Downloads everything in one run, in one way: each has an error, or what n8n stored. */
export async function downloadEach(own: OwnServer, way: Way, all: Served[], options: object = {}) {
	own.answer = ({ body }, response, { url = '' }) => {
		const [, place, number = ''] = url.split('/');
		const isLinked = place === 'file';
		const index = Number(isLinked ? number : body.fileAeskey);
		const { content, headers = {}, status = 200, name = '', hasNoLength } = all[index]!;
		if (way !== 'body' && !isLinked) {
			const base64 = Buffer.from(content).toString('base64');
			const link = `${own.url}/file/${index}/${name}`;
			const file = { link, base64, dataUri: `data:;base64,${base64}` }[way];
			return json(response, { ok: true, code: 0, request_id: 'svc_1', data: { file } });
		}
		response.statusCode = status;
		response.setHeaders(new Map(Object.entries(headers)));
		// Neither a length nor chunks: it ends with the connection (RFC 9112, section 6.3).
		response.useChunkedEncodingByDefault = !hasNoLength;
		if (hasNoLength) response.write(content);
		response.end(hasNoLength ? undefined : content);
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
			error: error as { outcome: string; message: string; description: string } | undefined,
			binary: binary?.data,
			stored: binary?.data && (await own.engine.bytesOf(binary.data)),
		})),
	);
}
