import { setTimeout as wait } from 'node:timers/promises';

import { BinaryDataService } from 'n8n-core';

import { Container } from '../../dev/engine/coreEnvironment';
import { samples } from '../../dev/sandbox/samples';
import { CONTINUE } from '../support/messages';
import { DOWNLOAD, resultOf, useBench, workflowOf } from '../support/setup';

/** Where n8n cannot store a file; test/support/environment.ts sees what is left open then. */

const bench = useBench();
const service = Container.get(BinaryDataService);
afterEach(() => void Reflect.deleteProperty(service, 'store'));
const COUNT = 12;

const fullStore = async (content: AsyncIterable<Buffer>) => {
	for await (const part of content) throw new Error(`ENOSPC: ${part.length} bytes, write`);
	throw new Error('Nothing came');
};
/** As n8n fails where it cannot open a file: without a look at what it is given. */
const closedStore = async () => {
	await wait(500);
	throw new Error('EACCES: permission denied, open');
};

test.each([
	['no store for a body', 'body', closedStore, /could not store/],
	['a full store for a file', 'link', fullStore, /ENOSPC/],
] as const)('the node leaves no connection open if n8n has %s', async (_, as, store, words) => {
	// More than a response's first bytes.
	bench.sandbox.answerDownloads({ as, content: 2e6 });
	service.store = async (_location, content) => await store(content as never);
	const files = Array.from({ length: COUNT }, () => ({ ...bench.sandbox.fieldsOf(samples.video) }));
	const options = { maxTries: 1, maxConcurrency: COUNT, timeout: 60_000 };
	const run = await bench.engine.run(workflowOf(files, { ...DOWNLOAD, options }, CONTINUE));
	const errors = resultOf(run).items.map(({ json }) => JSON.stringify(json.error));
	expect(errors).toEqual(files.map(() => expect.stringMatching(words) as string));
});
