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

test('a key is busy as long as any task of it runs: also for one that comes later', async () => {
	const events: string[] = [];
	let begin = () => {};
	const secondBegan = new Promise<void>((resolve) => (begin = resolve));
	const task = (name: string, work: () => Promise<unknown>) => ({
		key: name.charAt(0),
		run: async () => {
			events.push(name);
			await work();
			events.push(`${name} ended`);
		},
	});
	const second = async () => {
		begin();
		await wait(20);
	};
	const tasks = [
		task('a1', async () => await wait(1)),
		task('a2', second),
		// When it ends, the next task is asked for.
		task('b', async () => await secondBegan),
		task('a3', async () => {}),
	];
	await runTasks(Readable.from(tasks), 2, new StopSignal());
	expect(events.filter((event) => event.startsWith('a'))).toEqual([
		'a1',
		'a1 ended',
		'a2',
		'a2 ended',
		'a3',
		'a3 ended',
	]);
});
