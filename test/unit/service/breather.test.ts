import { Breather } from '../../../nodes/Workchat/service/breather';
import { parseBody } from '../../../nodes/Workchat/service/response/envelope';
import { locateFile } from '../../../nodes/Workchat/service/file/locateFile';
import { wording } from '../../support/wording';

const WANTED = { fileLocation: '', fileSize: 5, sent: {} };
const list = (length: number, of: (index: number) => unknown) =>
	Array.from({ length }, (_, index) => of(index));

/** Each look at the monotonic clock takes so many milliseconds, of which it shows whole seconds. */
function letTimePass(perLook: number): void {
	let looks = 0;
	const clock = () => Math.floor((++looks * perLook) / 1000) * 1000;
	jest.spyOn(performance, 'now').mockImplementation(clock);
}

describe('the event loop is not held', () => {
	afterEach(() => jest.restoreAllMocks());

	test.each<[string, () => unknown, number, number]>([
		['10,000 links', () => list(1e4, (index) => `https://example.com/${index}`), 1e4, 50],
		['100,000 numbers', () => list(1e5, (index) => index), 1e5, 50],
		['a base64 text of 4 MB', () => 'A'.repeat(4e6), 10, 10],
		['a base64 text of 4 MB in lines', () => `${'A'.repeat(76)}\r\n`.repeat(5.2e4), 10, 10],
		['white space of 4 MB', () => ' '.repeat(4e6), 10, 10],
	])('by the search of %s', async (_, dataOf, pieces, breaths) => {
		const data = dataOf();
		// A second for each hundredth of the pieces.
		letTimePass(1000 * (100 / pieces));
		const breathe = jest.spyOn(Breather.prototype, 'breathe');
		await locateFile(data, WANTED, wording).catch(() => {});
		expect(breathe.mock.calls.length).toBeGreaterThan(breaths);
	});

	test('by a large envelope in one go, but for its decoding and its parsing', async () => {
		letTimePass(1000);
		const breathe = jest.spyOn(Breather.prototype, 'breathe');
		const breathsBefore: number[] = [];
		jest.spyOn(JSON, 'parse').mockImplementation(() => {
			breathsBefore.push(breathe.mock.calls.length);
			return { code: 0 };
		});
		expect(await parseBody(Buffer.from('{"code":0}'))).toMatchObject({ envelope: { code: 0 } });
		expect(breathsBefore).toEqual([1]);
		expect(breathe).toHaveBeenCalledTimes(2);
	});

	test('by a loop that breathes', async () => {
		const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
		const breather = new Breather();
		let turns = 0;
		for (let time = 0; time <= 300; time += 10) {
			clock.mockReturnValue(time);
			setTimeout(() => turns++, 0);
			if (breather.isDue()) await breather.breathe();
		}
		expect(turns).toBeGreaterThan(20);
	});

	test('for nothing: a short loop goes on at once', async () => {
		jest.spyOn(performance, 'now').mockReturnValue(0);
		const breather = new Breather();
		let turns = 0;
		setImmediate(() => turns++);
		for (let index = 0; index < 10; index++) await breather.breathe();
		expect(turns).toBe(0);
	});
});
