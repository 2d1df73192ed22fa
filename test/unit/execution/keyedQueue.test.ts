import { useVirtualN8n } from '../../support/virtual';

import { Readable } from 'node:stream';

import { runTasks } from '../../../nodes/Workchat/execution/keyedQueue';
import { StopSignal } from '../../../nodes/Workchat/execution/stopSignal';

const n8n = useVirtualN8n();

type Given = [key: string, milliseconds: number, begins: number];
test.each<[string, ...Given[]]>([
	[
		'a task that waited for its key goes before later ones',
		['a', 5, 0],
		['a', 5, 5],
		['b', 50, 0],
		['c', 5, 10],
	],
	[
		'a key is busy as long as any task of it runs',
		['a', 1, 0],
		['a', 20, 1],
		['b', 5, 0],
		['a', 1, 21],
	],
])('%s', async (_, ...given) => {
	const began: number[] = [];
	const tasks = given.map(([key, milliseconds], index) => ({
		key,
		run: async () => {
			began[index] = n8n.clock.now;
			await n8n.clock.sleep(milliseconds);
		},
	}));
	await n8n.until(runTasks(Readable.from(tasks), 2, new StopSignal()));
	expect(began).toEqual(given.map(([, , at]) => at));
});
