import { useVirtualN8n } from '../../support/virtual';

import { Readable } from 'node:stream';

import { runTasks } from '../../../nodes/Workchat/execution/keyedQueue';
import { StopSignal } from '../../../nodes/Workchat/execution/stopSignal';

const n8n = useVirtualN8n();

/** Two at a time: the key of each task and its milliseconds, and when each starts. */
test.each([
	[
		'a message that waited for its recipient is sent before later ones',
		'a5 a5 b50 c5',
		[0, 5, 0, 10],
	],
	['messages to a recipient keep their order', 'a1 a20 a1 b5', [0, 1, 21, 0]],
	['a recipient is free again when no message to them is left', 'a1 b9 c1 a1', [0, 0, 1, 2]],
	['a recipient gets no second message while one is in flight', 'a1 a20 b5 a1', [0, 1, 0, 21]],
])('%s', async (_, given, expected) => {
	const starts: number[] = [];
	const tasks = given.split(' ').map((task, index) => ({
		key: task.charAt(0),
		run: async () => {
			starts[index] = n8n.clock.now;
			await n8n.clock.sleep(Number(task.slice(1)));
		},
	}));
	await n8n.until(runTasks(Readable.from(tasks), 2, new StopSignal()));
	expect(starts).toEqual(expected);
});
