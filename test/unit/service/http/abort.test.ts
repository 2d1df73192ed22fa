import { onAbort } from '../../../../nodes/Workchat/service/http/abort';
import { json, useOwnServer } from '../../../support/ownServer';
import { DOWNLOAD, resultOf, workflowOf } from '../../../support/setup';

test('all who wait for one signal share a listener, and hear of it unless they stopped waiting', () => {
	const controller = new AbortController();
	const listen = jest.spyOn(controller.signal, 'addEventListener');
	const heard: number[] = [];
	const stops = Array.from({ length: 50 }, (_, index) =>
		onAbort(controller.signal, () => heard.push(index)),
	);
	for (const stop of stops.slice(2)) stop();
	controller.abort();
	onAbort(controller.signal, () => heard.push(50));
	expect(heard).toEqual([0, 1, 50]);
	expect(listen).toHaveBeenCalledTimes(1);
});

const own = useOwnServer();
const warnings: Error[] = [];
const onWarning = (warning: Error) => warnings.push(warning);
beforeAll(() => void process.on('warning', onWarning));
afterAll(() => void process.off('warning', onWarning));

/** For a further try, an answer, a file, and their turn. */
test('50 items that wait at the same time draw no warning of Node', async () => {
	const seen = new Set<unknown>();
	own.answer = ({ body: { fileSize } }, response) => {
		if (!seen.has(fileSize)) {
			seen.add(fileSize);
			response.setHeader('retry-after', '1');
			return json(response, { ok: false, code: 4 }, 429);
		}
		setTimeout(() => {
			response.writeHead(200, { 'content-type': 'video/mp4' });
			response.write(Buffer.alloc(70_000, 1));
			setTimeout(() => response.end(Buffer.alloc(70_000, 1)), 300);
		}, 300);
	};
	const items = Array.from({ length: 50 }, (_, index) => ({
		fileAeskey: 'fake-aes-key',
		fileAuthkey: 'fake-auth-key',
		fileSize: index + 1,
		fileType: 5,
		fileUrl: 'https://example.com/file',
	}));
	const options = { maxConcurrency: 50, requestInterval: 2 };
	const run = await own.engine.run(workflowOf(items, { ...DOWNLOAD, options }));
	expect(resultOf(run).items).toHaveLength(50);
	const names = warnings.map(({ name }) => name);
	expect(names).not.toContain('MaxListenersExceededWarning');
});
