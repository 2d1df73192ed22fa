import { readdir } from 'node:fs/promises';

import type { IRun } from 'n8n-workflow';

import { isOlder } from '../../dev/engine/coreVersion';
import { DeduplicationStandIn } from '../../dev/engine/deduplicationStandIn';
import { Engine } from '../../dev/engine/engine';
import { startSandbox, type Sandbox } from '../../dev/sandbox/server';
import { NODE, outputOf } from '../../dev/engine/workflows';

export * from '../../dev/engine/workflows';

/** Recognisable, so that it can be looked for where it must not be. */
export const KEY = ['fake', 'workchat', 'key', '0123456789'].join('-');
export const INSTANCE = 'default-instance';

/** A sandbox and an engine whose credential leads to it. */
interface Bench {
	sandbox: Sandbox;
	engine: Engine;
}

/** The bench of a test file: started before its tests, reset before each, stopped after all. */
export function useBench(): Bench {
	const bench = {} as Bench;
	beforeAll(async () => {
		bench.sandbox = await startSandbox({ key: KEY });
		const credential = { apiKey: KEY, baseUrl: bench.sandbox.url, defaultInstanceGuid: INSTANCE };
		bench.engine = await Engine.start({ credential });
	});
	beforeEach(() => bench.sandbox.reset());
	afterAll(async () => {
		await bench.engine.stop();
		await bench.sandbox.stop();
	});
	return bench;
}

/** What n8n remembers for nodes: nothing before each test. */
export function useMemory(bench: Pick<Bench, 'engine'>) {
	beforeEach(() => {
		const { engine } = bench;
		// Claim stores of earlier tests still make calls for seconds.
		engine.workflowId = crypto.randomUUID();
		engine.deduplicator = new DeduplicationStandIn(undefined, engine.workflowId);
	});
	return () => bench.engine.deduplicator as DeduplicationStandIn;
}

/** Names of all files in n8n's binary store, also of those that it still writes. */
export async function begun({ engine }: Pick<Bench, 'engine'>): Promise<string[]> {
	const entries = await readdir(engine.storagePath, { recursive: true, withFileTypes: true });
	return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

/** Names of all files in n8n's binary store; of older versions, of those that it finished. */
export async function stored(bench: Pick<Bench, 'engine'>): Promise<string[]> {
	const names = await begun(bench);
	const isFinished = (name: string) => names.includes(`${name.split('.')[0]}.metadata`);
	return isOlder ? names.filter(isFinished) : names;
}

/** What our node put out, or the error it stopped with. */
export function resultOf(run: IRun) {
	const { error } = run.data.resultData;
	return { items: outputOf(run, NODE), errorItems: outputOf(run, NODE, 1), error };
}
