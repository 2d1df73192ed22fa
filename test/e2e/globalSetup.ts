import { installPrograms } from './support/debian';
import { installN8n } from '../../dev/n8n/installation';
import { startN8n } from '../../dev/n8n/n8n';
import { N8nClient } from '../../dev/n8n/n8nClient';
import { temporaryFolder } from '../../dev/n8n/processes';
import type { Shared } from './support/setup';

/** Everything the tests need is there before the first of them starts. */
export default async function globalSetup(): Promise<void> {
	const say = (line: string) => void process.stdout.write(`${line}\n`);
	await installPrograms(say);
	const installation = await installN8n(say);
	const folder = await temporaryFolder();
	// It ends with this process: the janitor sees to that.
	const { url } = await startN8n('start', { installation, folder });
	const shared: Shared = { session: (await N8nClient.open(url)).session, folder };
	// Jest gives to the test files what stands in the environment then, and nothing else.
	process.env.SHARED_N8N = JSON.stringify(shared);
}
