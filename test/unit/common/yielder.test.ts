import { Yielder } from '../../../nodes/Workchat/common/yielder';
import { locateFile } from '../../../nodes/Workchat/service/file/locateFile';
import { about } from '../../support/about';

afterEach(() => jest.restoreAllMocks());

test('a long loop yields to the event loop', async () => {
	const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
	const yielder = new Yielder();
	let turns = 0;
	for (let time = 0; time <= 300; time += 10) {
		clock.mockReturnValue(time);
		setTimeout(() => turns++, 0);
		if (yielder.isDue()) await yielder.yieldNow();
	}
	expect(turns).toBeGreaterThan(28);
});

const LINKS = Array.from({ length: 1e4 }, (_, index) => `https://example.com/${index}`);
test.each<[string, data: string | string[], pieces: number, least: number]>([
	['10,000 links', LINKS, LINKS.length, 90],
	['a base64 text of 4 MB', 'Az'.repeat(2e6), 10, 10],
])('the search of %s yields to the event loop', async (_, data, pieces, least) => {
	let calls = 0;
	// A fake clock: a second passes for each hundredth of the pieces.
	const clock = () => Math.floor((++calls * 100) / pieces) * 1000;
	jest.spyOn(performance, 'now').mockImplementation(clock);
	const yieldNow = jest.spyOn(Yielder.prototype, 'yieldNow');
	const wanted = { fileLocation: '', body: {}, fileSize: 5 };
	await locateFile({ code: 0, data }, wanted, about).catch(() => {});
	expect(yieldNow.mock.calls.length).toBeGreaterThan(least);
});
