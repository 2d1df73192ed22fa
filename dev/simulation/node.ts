import * as nodeCrypto from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';

import * as n8nWorkflow from 'n8n-workflow';
import type { INodeType } from 'n8n-workflow';

import { projectRoot } from '../projectRoot';
import type { Clock, SimulatedProcess } from './clock';

const BUNDLE = 'dist/workchat.js';
/** How many processes share the code before it is loaded anew: it keeps some data of each. */
const MOST_PROCESSES = 100;
let processes = 0;
let node: INodeType;
/** The clock of the plan that is run. */
let clock: Clock;

/**
 * The built node. Many processes have it in common, as code that has run is faster; the IDs of their
 * workflows keep them apart, and what it takes from outside is that of the process at work.
 */
export function loadNode(planned: Clock): INodeType {
	clock = planned;
	if (processes++ % MOST_PROCESSES === 0) node = load();
	return node;
}

/** Loads the node with a clock and random numbers that can be repeated. */
function load(): INodeType {
	const workflow = {
		...n8nWorkflow,
		sleep: async (delay: number) => await clock.sleep(delay, atWork()),
	};
	const random = () => atWork().chance.next();
	const outside = {
		require: (name: string) => (name === 'n8n-workflow' ? workflow : nodeCrypto),
		module: { exports: {} as { Workchat: new () => INodeType } },
		performance: { now: () => clock.now },
		crypto: { randomUUID: () => `${random()} ${random()}` },
		Math: Object.create(Math, { random: { value: random } }) as Math,
		AbortSignal: { timeout: (delay: number) => clock.timeout(delay, atWork()) },
	};
	const source = readFileSync(join(projectRoot, BUNDLE), 'utf8');
	compileFunction(source, Object.keys(outside), { filename: BUNDLE })(...Object.values(outside));
	return new outside.module.exports.Workchat();
}

function atWork(): SimulatedProcess {
	n8nWorkflow.assert(clock.atWork, 'The node does something while no process is at work');
	return clock.atWork;
}
