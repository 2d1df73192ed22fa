import { downloadEach, WAYS, type Served } from '../../../support/downloads';
import { useOwnServer } from '../../../support/ownServer';

const own = useOwnServer();
const content = Buffer.concat([Buffer.from('%PDF-'), Buffer.alloc(2995, 7)]);
const messageOf = async (way: (typeof WAYS)[number], served: Partial<Served>, options: object) => {
	const [result] = await downloadEach(own, way, [{ content, ...served }], options);
	return result?.error?.message ?? result?.stored?.equals(content);
};

describe.each(WAYS)('in a %s', (way) => {
	test('a file of Max File Size is stored, a larger one is not', async () => {
		expect(await messageOf(way, {}, { maxFileSize: 0.003 })).toBe(true);
		const refusal = /holds a file of more than 0\.002999 MB/;
		expect(await messageOf(way, {}, { maxFileSize: 0.002999 })).toMatch(refusal);
		const unknown = { hasNoLength: true };
		expect(await messageOf(way, unknown, { maxFileSize: 0.002999 })).toMatch(refusal);
	});

	test('with Require Exact Size, no other size is stored', async () => {
		const options = { requireExactSize: true };
		expect(await messageOf(way, { fileSize: 3000 }, options)).toBe(true);
		for (const fileSize of [2999, 3001]) {
			expect(await messageOf(way, { fileSize }, options)).toMatch(
				new RegExp(`gave 3000 bytes, but 'File Size' says ${fileSize}`),
			);
		}
		expect(await messageOf(way, { fileSize: 1 }, {})).toBe(true);
	});
});
