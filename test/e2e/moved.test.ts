import { readFile, rename, mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { furnish } from '../../dev/n8n/furnish';
import { filesOf, startN8n } from '../../dev/n8n/n8n';
import { N8nClient } from '../../dev/n8n/n8nClient';
import type { Running } from '../../dev/n8n/processes';
import { samples } from '../../dev/sandbox/samples';
import { EXAMPLE_TRIGGER } from '../../dev/start/readExample';
import { atEnd } from './atEnd';
import { useInstallation } from './setup';

const here = useInstallation();

const EXAMPLE = 'Download received files and write them to disk';

let running: Running | undefined;
/** As `npm run n8n` does it. */
async function start(folder: string): Promise<N8nClient> {
	await mkdir(filesOf(folder), { recursive: true });
	const { url, process } = await startN8n('start', { ...here, folder });
	running = process;
	await furnish(url, here.sandbox, folder);
	return await N8nClient.open(url);
}

test(
	"what npm run n8n has set up works on where the checkout's folder has moved to",
	async () => {
		atEnd(async () => await running?.stop());
		const [before, after] = [join(here.folder, 'before'), join(here.folder, 'after')];
		const first = await (await start(before)).workflows();
		await running?.stop();
		await rename(before, after);

		const n8n = await start(after);
		const workflows = await n8n.workflows();
		expect(workflows.map(({ id }) => id)).toEqual(first.map(({ id }) => id));
		const example = workflows.find(({ name }) => name === EXAMPLE);
		const { status, data } = await n8n.run(example?.id ?? '', EXAMPLE_TRIGGER);
		expect(data.resultData.error?.message).toBeUndefined();
		expect(status).toBe('success');
		const { document } = samples;
		expect(await readFile(join(filesOf(after), document.name))).toEqual(document.content);
	},
	4 * 60_000,
);
