import { Container, coreRequire } from '../dev/engine/coreEnvironment';
import { hashOf, keyName } from '../nodes/Workchat/execution/once/names';
import { recipients, SEND, useBench, useMemory, workflowOf } from './setup';
import { eventually } from './turns';

const bench = useBench();
const memory = useMemory(bench);

interface Logger {
	debug(message: string, metadata: { itemIndex?: number; entries: string[] }): void;
}
const { Logger } = coreRequire('@n8n/backend-common') as { Logger: new () => Logger };

/** Lines in n8n's log, at the level `debug`. */
async function linesOf(run: () => Promise<unknown>) {
	const debug = jest.spyOn(Container.get(Logger), 'debug');
	await run();
	await eventually(() => !memory.entries().some((entry) => entry.endsWith('customer-1 open')));
	const lines = debug.mock.calls.filter(([message]) => message.startsWith('Workchat: '));
	debug.mockRestore();
	return lines;
}

test("n8n's log tells what becomes of each message with a key, by hashes", async () => {
	bench.sandbox.misbehave(
		{ kind: 'refuse', code: 1, message: 'no' },
		{ when: ({ toId }) => toId === 'customer-2' },
	);
	const options = { maxTries: 1, sendOnceKey: 'spring' };
	const workflow = workflowOf(
		recipients(2),
		{ ...SEND, options },
		{ onError: 'continueRegularOutput' },
	);
	const lines = await linesOf(async () => await bench.engine.run(workflow));
	const { port } = new URL(bench.sandbox.url);
	const hashes = recipients(2).map(({ toId }) =>
		hashOf(
			keyName(`http://127.0.0.1:${port}/`, JSON.stringify(['default-instance', toId]), 'spring'),
		),
	);
	const told = (itemIndex: number, ...whats: string[]) =>
		whats.map((what) => [`Workchat: ${what}`, { itemIndex, entries: [hashes[itemIndex]] }]);
	const linesFor = (wanted: number) => lines.filter(([, { itemIndex }]) => itemIndex === wanted);
	expect(linesFor(0)).toEqual(told(0, 'asked: free', 'sent'));
	expect(linesFor(1)).toEqual(told(1, 'asked: free', 'let go'));
	expect(JSON.stringify(lines)).not.toMatch(/customer|spring/);

	const again = await linesOf(async () => await bench.engine.run(workflow));
	expect(again.map(([message]) => message)).toEqual([
		'Workchat: asked: sent',
		'Workchat: asked: free',
		'Workchat: sent',
	]);
});
