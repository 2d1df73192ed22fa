import { Breather } from '../nodes/Workchat/service/breather';
import { parseEnvelope } from '../nodes/Workchat/service/envelope';
import type { RequestContext } from '../nodes/Workchat/service/requestContext';
import { locateFile } from '../nodes/Workchat/service/file/locateFile';
import { longestHold, now, since } from './processorTime';

const context: RequestContext = {
	receiver: 'The service',
	isRepeatable: true,
	secrets: () => [],
};
const WANTED = { fileLocation: '', fileSize: 5, sent: {} };
const list = (length: number, of: (index: number) => unknown) =>
	Array.from({ length }, (_, index) => of(index));

describe('the event loop is not held', () => {
	test.each<[string, () => unknown]>([
		['100,000 links', () => list(100_000, (index) => `https://example.com/${index}`)],
		['300,000 short texts', () => list(300_000, (index) => `abc${index % 1000}`)],
		['a million numbers', () => list(1e6, (index) => index)],
		['a base64 text of 40 MB', () => 'A'.repeat(40e6)],
		['a base64 text of 40 MB in lines', () => `${'A'.repeat(76)}\r\n`.repeat(520_000)],
		['white space of 40 MB', () => ' '.repeat(40e6)],
	])('by the search of %s', async (_, dataOf) => {
		const data = dataOf();
		let longest = Infinity;
		for (let run = 0; run < 3 && longest >= 50; run++) {
			longest = Math.min(
				longest,
				await longestHold(async () => await locateFile(data, WANTED, context).catch(() => {})),
			);
		}
		expect(longest).toBeLessThan(50);
	});

	test('by a large envelope in one go, but for its decoding and its parsing', async () => {
		const answer = Buffer.from(JSON.stringify({ code: 0, data: 'A'.repeat(100e6) }));
		const parse = jest.spyOn(JSON, 'parse');
		let turns = 0;
		const turnsBefore: number[] = [];
		parse.mockImplementation(() => {
			turnsBefore.push(turns);
			return { code: 0 };
		});
		let isOver = false;
		const count = () => {
			turns++;
			if (!isOver) setImmediate(count);
		};
		setImmediate(count);
		expect(await parseEnvelope(answer)).toEqual({ code: 0 });
		isOver = true;
		parse.mockRestore();
		expect(turnsBefore).toHaveLength(1);
		expect(turnsBefore[0]).toBeGreaterThan(0);
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
		clock.mockRestore();
		expect(turns).toBeGreaterThan(20);
	});

	test('for nothing: a short loop goes on at once', async () => {
		jest.spyOn(performance, 'now').mockReturnValue(0);
		const breather = new Breather();
		let turns = 0;
		setImmediate(() => turns++);
		for (let index = 0; index < 10; index++) await breather.breathe();
		jest.restoreAllMocks();
		expect(turns).toBe(0);
	});
});

test('this measure sees who holds the event loop', async () => {
	const hold = async () => {
		await Promise.resolve();
		for (const began = now(); since(began) < 80; );
	};
	expect(await longestHold(hold)).toBeGreaterThan(50);
});
