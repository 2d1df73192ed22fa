import { onAbort } from '../../../nodes/Workchat/common/abort';

test('the callbacks of a signal share one listener, and are called unless they were cancelled', () => {
	const controller = new AbortController();
	const listen = jest.spyOn(controller.signal, 'addEventListener');
	const called: number[] = [];
	const cancels = Array.from({ length: 50 }, (_, index) =>
		onAbort(controller.signal, () => called.push(index)),
	);
	for (const cancel of cancels.slice(2)) cancel();
	controller.abort();
	onAbort(controller.signal, () => called.push(50));
	expect(called).toEqual([0, 1, 50]);
	expect(listen).toHaveBeenCalledTimes(1);
});
