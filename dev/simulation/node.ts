import * as nodeCrypto from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';

import * as n8nWorkflow from 'n8n-workflow';
import type { INodeType } from 'n8n-workflow';

import { projectRoot } from '../projectRoot';
import type { Chance } from './chance';
import type { Clock, SimulatedProcess } from './clock';

const BUNDLE = 'dist/workchat.js';
let script: Script | undefined;

/** The built node as a process of its own has it, with a clock and a chance that can be repeated. */
export function loadNode(clock: Clock, chance: Chance, process: SimulatedProcess): INodeType {
	// One function of all that it takes from outside.
	script ??= new Script(
		`(function (require, module, performance, crypto, Math, AbortSignal) {${readFileSync(join(projectRoot, BUNDLE), 'utf8')}\n})`,
		{ filename: BUNDLE },
	);
	const module = { exports: {} as { Workchat: new () => INodeType } };
	const workflow = {
		...n8nWorkflow,
		sleep: async (delay: number) => await clock.sleep(delay, process),
	};
	const random = Object.create(Math, { random: { value: chance.next } }) as Math;
	const randomUUID = () => `${chance.next()} ${chance.next()}`;
	const timeout = (delay: number) => {
		const controller = new AbortController();
		clock.after(delay, process, () => controller.abort());
		return controller.signal;
	};
	const load = script.runInThisContext() as (...given: unknown[]) => void;
	const require = (name: string) => (name === 'n8n-workflow' ? workflow : nodeCrypto);
	const performance = { now: () => clock.now };
	load(require, module, performance, { randomUUID }, random, { timeout });
	return new module.exports.Workchat();
}
