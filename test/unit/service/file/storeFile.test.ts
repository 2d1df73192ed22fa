import { downloadEach, WAYS, type Served } from '../../../support/downloads';
import { useOwnServer } from '../../../support/ownServer';

const own = useOwnServer();
const content = Buffer.concat([Buffer.from('%PDF-'), Buffer.alloc(2995, 7)]);
const messageOf = async (way: (typeof WAYS)[number], served: Partial<Served>, options: object) => {
	const [result] = await downloadEach(own, way, [{ content, ...served }], options);
	return result?.error?.message ?? result?.stored?.equals(content);
};

test.each(WAYS)('as %s, a file larger than Max File Size is not stored', async (way) => {
	expect(await messageOf(way, {}, { maxFileSize: 0.003 })).toBe(true);
	for (const hasNoLength of [false, true]) {
		const said = await messageOf(way, { hasNoLength }, { maxFileSize: 0.002999 });
		expect(said).toMatch(/sent a file of more than 0\.002999 MB/);
	}
});

test('with Require Exact Size, a file of another size is not stored', async () => {
	const said = async (fileSize: number, requireExactSize = true) =>
		await messageOf('link', { fileSize }, { requireExactSize });
	expect([await said(1, false), await said(3000)]).toEqual([true, true]);
	expect(await said(2999)).toMatch(/sent 3000 bytes, but 'File Size' says 2999/);
	expect(await said(3001)).toMatch(/sent 3000 bytes, but 'File Size' says 3001/);
});
