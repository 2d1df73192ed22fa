import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';

import execa from 'execa';

import type { WorkflowJson } from '../engine/engine';
import { CREDENTIAL, NODE, outputOf, TRIGGER } from '../engine/workflows';
import { installN8n, type Installation } from '../n8n/installation';
import { startN8n } from '../n8n/n8n';
import { N8nClient } from '../n8n/n8nClient';
import { temporaryFolder } from '../n8n/processes';
import { projectRoot } from '../projectRoot';
import { startSandbox, type Sandbox } from '../sandbox/server';
import { CONCURRENCY, contenders, giveRows, HEADER_CREDENTIAL, messageOf } from './contenders';

/**
 * `npm run bench`: how fast a campaign leaves a real n8n, by our node and by HTTP Request. It prints
 * the table for docs/speed.md.
 *
 * - All run in one n8n, as "Execute workflow" runs them, with SQLite and encrypted credentials. The
 *   time is that of the node alone, without what n8n does before and after it.
 * - The service is a sandbox in this process, which takes its part of the machine's cores.
 * - The contenders take turns, and every other round in reverse. A small run of each comes before.
 * - A contender that loses, doubles or alters a message is an error.
 */

const ROWS = 3000;
const ROUNDS = 3;
const WARM_UP = 100;
/** Milliseconds that the service takes for each message. */
const SERVICE_TIME = 50;
/** Milliseconds; asking n8n more often whether it has ended would show in the results. */
const PAUSE = 500;

/** Messages per second in each round, by contender. */
type Rates = Map<string, number[]>;

const say = (text: string) => process.stdout.write(`${text}\n`);

async function main(): Promise<void> {
	const installation = await installN8n(say);
	const [load = 0] = loadavg();
	if (load > 0.5) say(`The machine is busy (load ${load.toFixed(1)}): these figures are doubtful.`);
	const rates = await measure(installation);
	say(`
Messages per second (${ROWS} rows, the service takes ${SERVICE_TIME} ms, Max Concurrency ${CONCURRENCY}).

${tableOf(rates)}

_Median (least–most) of ${ROUNDS} rounds, ${await circumstances(installation)}._`);
}

async function measure(installation: Installation): Promise<Rates> {
	const folder = await temporaryFolder();
	const sandbox = await startSandbox();
	const n8n = await startN8n('start', { installation, folder });
	try {
		const client = await N8nClient.open(n8n.url);
		await client.addCredential('workchatApi', CREDENTIAL, sandbox.credential);
		const header = { name: 'X-Service-Key', value: sandbox.key };
		await client.addCredential('httpHeaderAuth', HEADER_CREDENTIAL, header);

		const all = Object.entries(contenders(sandbox.url));
		for (const contender of all) await seconds(contender, WARM_UP, client, sandbox);
		const rates: Rates = new Map();
		for (let round = 0; round < ROUNDS; round++) {
			say(`Round ${round + 1} of ${ROUNDS}`);
			for (const contender of round % 2 === 0 ? all : all.toReversed()) {
				const [name] = contender;
				const took = await seconds(contender, ROWS, client, sandbox);
				rates.set(name, [...(rates.get(name) ?? []), ROWS / took]);
				say(`  ${took.toFixed(1)} s: ${name}`);
			}
		}
		return rates;
	} finally {
		await n8n.process.stop();
		await sandbox.stop();
	}
}

/** How long the contender's node takes for the campaign. */
async function seconds(
	[who, workflow]: [string, WorkflowJson],
	rows: number,
	client: N8nClient,
	sandbox: Sandbox,
): Promise<number> {
	sandbox.reset();
	sandbox.misbehave({ kind: 'delay', milliseconds: SERVICE_TIME }, { times: Infinity });
	giveRows(workflow, rows);
	const { id } = await client.addWorkflow(workflow);
	const execution = await client.run(id, TRIGGER, PAUSE);
	const { error, runData } = execution.data.resultData;
	assert(!error, `${who}: ${error?.message}`);
	assert.equal(outputOf(execution, NODE).length, rows, `${who}: not so many items came out`);
	const rowOf = ({ toId }: { toId?: unknown }) => Number(/\d+$/.exec(String(toId)));
	const arrived = sandbox.messages.toSorted((one, other) => rowOf(one) - rowOf(other));
	const expected = Array.from({ length: rows }, (_, row) => messageOf(row));
	assert.deepEqual(arrived, expected, `${who}: messages are lost, doubled or altered`);
	return runData[NODE]![0]!.executionTime / 1000;
}

/** In Markdown, as docs/speed.md has it. */
function tableOf(rates: Rates): string {
	const rows = [...rates].map(([name, all]) => {
		const sorted = all.map(Math.round).toSorted((a, b) => a - b);
		return `| ${name} | ${sorted[sorted.length >> 1]} (${sorted[0]}–${sorted.at(-1)}) |`;
	});
	return ['| Node, filled in | Messages per second |', '| --- | --- |', ...rows].join('\n');
}

async function circumstances({ env }: Installation): Promise<string> {
	const versionOf = async (path: string): Promise<string> =>
		JSON.parse(await readFile(join(projectRoot, path, 'package.json'), 'utf8')).version;
	const { stdout } = await execa('node', ['--version'], { env });
	const n8n = await versionOf('dev/n8n/node_modules/n8n');
	const date = new Date().toISOString().slice(0, 10);
	return `${date}, ${availableParallelism()} cores: version ${await versionOf('.')} in n8n ${n8n} on Node.js ${stdout.slice(1)}`;
}

main().catch((error: Error) => {
	process.stderr.write(`${error.stack}\n`);
	process.exit(1); // what still runs ends with this process
});
