import { Breather } from '../../../nodes/Workchat/common/breather';
import { locateFile } from '../../../nodes/Workchat/service/file/locateFile';
import { about } from '../../support/about';

afterEach(() => jest.restoreAllMocks());

test('a loop that breathes does not hold the event loop', async () => {
	const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
	const breather = new Breather();
	let turns = 0;
	for (let time = 0; time <= 300; time += 10) {
		clock.mockReturnValue(time);
		setTimeout(() => turns++, 0);
		if (breather.isDue()) await breather.breathe();
	}
	expect(turns).toBeGreaterThan(28);
});

const LINKS = Array.from({ length: 1e4 }, (_, index) => `https://example.com/${index}`);
test.each<[string, data: string | string[], pieces: number, least: number]>([
	['10,000 links', LINKS, LINKS.length, 90],
	['a base64 text of 4 MB', 'Az'.repeat(2e6), 10, 10],
])('the search of %s does not hold the event loop', async (_, data, pieces, least) => {
	let looks = 0;
	// By this clock, a second passes for each hundredth of the pieces.
	const clock = () => Math.floor((++looks * 100) / pieces) * 1000;
	jest.spyOn(performance, 'now').mockImplementation(clock);
	const breathe = jest.spyOn(Breather.prototype, 'breathe');
	const wanted = { fileLocation: '', body: {}, fileSize: 5 };
	await locateFile({ code: 0, data }, wanted, about).catch(() => {});
	expect(breathe.mock.calls.length).toBeGreaterThan(least);
});
