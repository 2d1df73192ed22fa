import { join } from 'node:path';

import execa from 'execa';
import type { IDataDeduplicator } from 'n8n-workflow';

import { DeduplicationStandIn } from '../../dev/engine/deduplicationStandIn';
import { projectRoot } from '../../dev/projectRoot';
import { installN8n } from '../../dev/n8n/installation';
import { temporaryFolder } from '../../dev/n8n/processes';

type Answers = Record<string, unknown>;
/** Not TypeScript, as n8n's process runs it, too. */
const { answersOf } = jest.requireActual<{
	answersOf: (deduplicator: IDataDeduplicator) => Promise<Answers>;
}>('./deduplicationCases');

/** n8n's own, in a process of its own: with its database, and without the rest of n8n. */
async function answersOfN8n(): Promise<Answers> {
	const { bin, env } = await installN8n(() => {});
	const folder = await temporaryFolder();
	const n8n = join(bin('n8n'), '..', '..', 'n8n');
	const program = join(projectRoot, 'test', 'e2e', 'deduplicationCases.js');
	const { stdout } = await execa('node', [program, n8n], {
		cwd: folder,
		env: { ...env, NODE_ENV: 'production', N8N_USER_FOLDER: folder },
	});
	return JSON.parse(stdout.slice(stdout.lastIndexOf('\n'))) as Answers;
}

test("the stand-in of n8n's memory answers as n8n's own does", async () => {
	expect(await answersOf(new DeduplicationStandIn())).toEqual(await answersOfN8n());
});
