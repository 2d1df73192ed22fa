import * as crypto from 'node:crypto';
import { join } from 'node:path';
import { Script } from 'node:vm';

import { buildSync } from 'esbuild';
import * as n8nWorkflow from 'n8n-workflow';

import type { runOperation } from '../../nodes/Workchat/execution/run';
import type { Failure } from '../../nodes/Workchat/service/failure/failure';
import type { Secrets } from '../../nodes/Workchat/service/failure/secrets';
import type { Draw } from '../campaign/draw';
import type { Clock, SimulatedProcess } from './clock';

interface Exports {
	runOperation: typeof runOperation;
	Failure: typeof Failure;
	Secrets: typeof Secrets;
}

const NODES = join(__dirname, __dirname.includes('build') ? '../../..' : '../..', 'nodes/Workchat');

/** What the node brings to a process, in one function of all that it takes from outside. */
const script = new Script(
	`(function (require, module, exports, performance, crypto, Math, AbortSignal) {${bundled()}\n})`,
	{ filename: 'workchat.js' },
);

function bundled(): string {
	const { outputFiles } = buildSync({
		stdin: {
			contents: `
				export { runOperation } from './execution/run';
				export { Failure } from './service/failure/failure';
				export { Secrets } from './service/failure/secrets';`,
			resolveDir: NODES,
		},
		bundle: true,
		write: false,
		format: 'cjs',
		platform: 'node',
		target: 'node20',
		external: ['n8n-workflow'],
	});
	return outputFiles[0]!.text;
}

/** The node's real code as a process of its own has it, with a clock and a chance that can be repeated. */
export function loadNode(clock: Clock, draw: Draw, process: SimulatedProcess): Exports {
	const module = { exports: {} as Exports };
	const workflow = {
		...n8nWorkflow,
		sleep: async (delay: number) => await clock.sleep(delay, process),
	};
	const random = Object.create(Math, { random: { value: () => draw.next() } }) as Math;
	const uuid = () => String(draw.next()) + String(draw.next());
	const timeout = (delay: number) => {
		const controller = new AbortController();
		clock.after(delay, process, () => controller.abort());
		return controller.signal;
	};
	const load = script.runInThisContext() as (...given: unknown[]) => void;
	load(
		(name: string) => (name === 'n8n-workflow' ? workflow : crypto),
		module,
		module.exports,
		{ now: () => clock.now },
		{ randomUUID: uuid },
		random,
		{ timeout },
	);
	return module.exports;
}
