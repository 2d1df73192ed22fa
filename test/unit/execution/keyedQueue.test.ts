import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';

import { runTasks } from '../../../nodes/Workchat/execution/keyedQueue';
import { StopSignal } from '../../../nodes/Workchat/execution/stopSignal';

test('a task that waited for its key goes before later ones', async () => {
	const started: number[] = [];
	const tasks = ['a', 'a', 'b', 'c'].map((key, index) => ({
		key,
		run: async () => {
			started.push(index);
			await wait(key === 'b' ? 50 : 5);
		},
	}));
	await runTasks(Readable.from(tasks), 2, new StopSignal());
	expect(started).toEqual([0, 2, 1, 3]);
});
