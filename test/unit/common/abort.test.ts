import { onAbort } from '../../../nodes/Workchat/common/abort';

test('all who wait for one signal share a listener, and hear of it unless they stopped waiting', () => {
	const controller = new AbortController();
	const listen = jest.spyOn(controller.signal, 'addEventListener');
	const heard: number[] = [];
	const stops = Array.from({ length: 50 }, (_, index) =>
		onAbort(controller.signal, () => heard.push(index)),
	);
	for (const stop of stops.slice(2)) stop();
	controller.abort();
	onAbort(controller.signal, () => heard.push(50));
	expect(heard).toEqual([0, 1, 50]);
	expect(listen).toHaveBeenCalledTimes(1);
});
