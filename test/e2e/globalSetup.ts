import execa from 'execa';

import { installN8n } from '../../dev/n8n/installation';
import { buildSources } from '../support/globalSetup';

/** Everything the tests need is there before the first of them starts. */
export default async function globalSetup(): Promise<void> {
	buildSources();
	await execa('test/e2e/programs.sh', { stdio: 'inherit' });
	await installN8n((line) => void process.stdout.write(`${line}\n`));
}
