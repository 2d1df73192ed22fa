import * as nodeCrypto from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';

import * as n8nWorkflow from 'n8n-workflow';
import type { INodeType } from 'n8n-workflow';

import { projectRoot } from '../projectRoot';
import type { Clock, SimulatedProcess } from './clock';

const BUNDLE = 'dist/workchat.js';
/** Processes that share the code before it is loaded again, as it keeps some data of each. */
const MAX_PROCESSES = 100;
let processes = 0;
let node: INodeType;
/** The clock of the current plan. */
let clock: Clock;

/**
 * Loads the built node. Many processes share it, as code that has run before is faster. Their workflows
 * have different IDs, and the clock and random numbers are those of the running process.
 */
export function loadNode(planned: Clock): INodeType {
	clock = planned;
	if (processes++ % MAX_PROCESSES === 0) node = load();
	return node;
}

/** Loads the node with a virtual clock and repeatable random numbers. */
function load(): INodeType {
	const workflow = {
		...n8nWorkflow,
		sleep: async (delay: number) => await clock.sleep(delay, running()),
	};
	const random = () => running().chance.next();
	const outside = {
		require: (name: string) => (name === 'n8n-workflow' ? workflow : nodeCrypto),
		module: { exports: {} as { Workchat: new () => INodeType } },
		performance: { now: () => clock.now },
		crypto: { randomUUID: () => `${random()} ${random()}` },
		Math: Object.create(Math, { random: { value: random } }) as Math,
		AbortSignal: { timeout: (delay: number) => clock.timeout(delay, running()) },
	};
	const source = readFileSync(join(projectRoot, BUNDLE), 'utf8');
	compileFunction(source, Object.keys(outside), { filename: BUNDLE })(...Object.values(outside));
	return new outside.module.exports.Workchat();
}

function running(): SimulatedProcess {
	n8nWorkflow.assert(clock.running, 'The node runs while no process does');
	return clock.running;
}
