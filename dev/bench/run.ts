import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { availableParallelism, loadavg } from 'node:os';
import { join, resolve } from 'node:path';

import type { WorkflowJson } from '../engine/engine';
import { CREDENTIAL, NODE, outputOf, SEND, TRIGGER, VIDEO, workflowOf } from '../engine/workflows';
import { installN8n, type Installation } from '../n8n/installation';
import { N8nClient } from '../n8n/n8nClient';
import { temporaryFolder } from '../n8n/processes';
import { projectRoot } from '../projectRoot';
import { startSandbox, type Sandbox } from '../sandbox/server';

/**
 * Measures how many messages a second leave real n8n by this node and by n8n's HTTP Request, and prints a
 * table. `npm run bench -- ../other` also measures the node that was built in another checkout, in an n8n
 * of its own. The time is that of the node alone, as n8n saves it with a manual execution. It includes
 * reading the credential from n8n's database (SQLite), and the sandbox, which answers at once, on the same
 * cores. Fails if a message is lost or sent twice.
 */

const ITEMS = 1000;
const ROUNDS = 5; // after a short one
/** Only for this node: HTTP Request has no such limit. */
const MAX_CONCURRENCY = 20;

/** Values that differ from item to item, as expressions. */
const EXPRESSIONS = Object.fromEntries(
	['toId', ...Object.keys(VIDEO)].map((name) => [name, `={{ $json.${name} }}`]),
);
const WORKCHAT = {
	'From Input Item': { specifyFeedVideo: 'input' },
	'Using JSON': { specifyFeedVideo: 'json', feedVideo: '={{ $json }}' },
	Fields: { specifyFeedVideo: 'fields', ...EXPRESSIONS },
};
const PAIRS = Object.entries({ instance_guid: 'fake', ...EXPRESSIONS });
const BODY = { parameters: PAIRS.map(([name, value]) => ({ name, value })) };
/** It does not find fields by their names. */
const HTTP_REQUEST = {
	'Using JSON': { specifyBody: 'json', jsonBody: '={{ $json }}' },
	Fields: { specifyBody: 'keypair', bodyParameters: BODY },
};

function workchat(parameters: object): WorkflowJson {
	return workflowOf([], { ...SEND, ...parameters, options: { maxConcurrency: MAX_CONCURRENCY } });
}

function httpRequest(parameters: object, service: string): WorkflowJson {
	const url = `${service}/workchat/messages/send-feed-video`;
	const key = { authentication: 'predefinedCredentialType', nodeCredentialType: 'workchatApi' };
	const all = { method: 'POST', url, ...key, sendBody: true, ...parameters, options: {} };
	return workflowOf([], all, { type: 'n8n-nodes-base.httpRequest', typeVersion: 4.5 });
}

class Contender {
	/** Items per second, in each round. */
	readonly rates: number[] = [];

	constructor(
		readonly node: string,
		readonly way: string,
		readonly client: N8nClient,
		private readonly workflow: WorkflowJson,
	) {}

	/** Sends so many messages, and returns how many a second. */
	async run(count: number, sandbox: Sandbox): Promise<number> {
		sandbox.reset();
		// A workflow that holds all items would be slower to save.
		const item = `{ instance_guid: 'fake', toId: 'customer-' + index, ...${JSON.stringify(VIDEO)} }`;
		const items = `Array.from({ length: ${count} }, (_, index) => (${item}))`;
		this.workflow.nodes[1]!.parameters.jsonOutput = `={{ { items: ${items} } }}`;
		const { id } = await this.client.addWorkflow(this.workflow);
		const execution = await this.client.run(id, TRIGGER);
		const { error, runData } = execution.data.resultData;
		const recipients = new Set(sandbox.messages.map(({ toId }) => toId));
		const counts = [recipients.size, sandbox.messages.length, outputOf(execution, NODE).length];
		assert.deepEqual([error, ...counts], [undefined, count, count, count], this.node);
		return count / (runData[NODE]![0]!.executionTime / 1000);
	}
}

/** Starts an n8n with the node of a checkout. */
async function startN8nOf(checkout: string, installation: Installation, sandbox: Sandbox) {
	const load = createRequire(join(checkout, 'build', 'dev', 'n8n', 'n8n.js'));
	const { startN8n } = load('./n8n.js') as typeof import('../n8n/n8n');
	const { url } = await startN8n('start', { installation, folder: await temporaryFolder() });
	const client = await N8nClient.open(url);
	await client.addCredential('workchatApi', CREDENTIAL, sandbox.credential);
	return client;
}

function rowOf({ node, way, rates }: Contender): string {
	const sorted = rates.map(Math.round).toSorted((a, b) => a - b);
	return `| ${node} | ${way} | ${sorted[sorted.length >> 1]} (${sorted[0]}–${sorted.at(-1)}) |`;
}

async function main(say: (line: string) => void): Promise<void> {
	const installation = await installN8n(say);
	const sandbox = await startSandbox();
	const contenders: Contender[] = [];
	for (const checkout of [projectRoot, ...process.argv.slice(2)]) {
		const client = await startN8nOf(resolve(checkout), installation, sandbox);
		const node = checkout === projectRoot ? 'Workchat' : `Workchat of ${checkout}`;
		for (const [way, parameters] of Object.entries(WORKCHAT))
			contenders.push(new Contender(node, way, client, workchat(parameters)));
	}
	const { client } = contenders[0]!;
	for (const [way, parameters] of Object.entries(HTTP_REQUEST))
		contenders.push(
			new Contender('HTTP Request', way, client, httpRequest(parameters, sandbox.url)),
		);
	for (let round = 0; round <= ROUNDS; round++) {
		say(`Round ${round} of ${ROUNDS}, with a load of ${loadavg()[0]?.toFixed(1)}`);
		for (const contender of round % 2 === 0 ? contenders.toReversed() : contenders) {
			const rate = await contender.run(round === 0 ? ITEMS / 10 : ITEMS, sandbox);
			if (round > 0) contender.rates.push(rate);
		}
	}
	say('\n| Node | Filled in | Items per second |\n| --- | --- | --- |');
	for (const contender of contenders) say(rowOf(contender));
	say(`\nMedian (range) of ${ROUNDS} rounds of ${ITEMS} items, ${availableParallelism()} cores`);
}

main((line) => void process.stdout.write(`${line}\n`))
	.catch((error: Error) => {
		process.stderr.write(`${error.stack}\n`);
		process.exitCode = 1;
	})
	.finally(() => process.exit()); // n8n and the sandbox end with this process
