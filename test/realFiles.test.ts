import { downloadEach, WAYS, type Served } from './downloads';
import { useOwnServer } from './ownServer';
import { realFiles, type RealFile } from './realFiles';
import { sampleOf } from './thorough';

/** Files as people send them arrive byte for byte, as what they are, in whatever way they come. */

const own = useOwnServer();

const named = ({ name }: RealFile) => ({ disposition: `attachment; filename="${name}"` });
const typed = ({ mimeType }: RealFile) => ({ type: mimeType });
const mistyped = () => ({ type: 'application/octet-stream' });

/** What is said of a file beside its bytes, and whether that tells its type. */
const WORDS: Array<[string, boolean, (file: RealFile) => Partial<Served>]> = [
	['its name and type', true, (file) => ({ ...named(file), ...typed(file), name: file.name })],
	['its name', true, (file) => ({ ...named(file), ...mistyped(), name: file.name })],
	['nothing', false, () => ({})],
];

/** Pages and JSON count as files only with a name. */
const needsName = ({ mimeType, name }: RealFile) =>
	/html|json/.test(mimeType) || /table/.test(name);

describe.each(WAYS)('as %s', (way) => {
	test.each(WORDS)('with %s beside it', async (what, isTold, wordsOf) => {
		const isPlain = way === 'base64' || way === 'dataUri';
		const files = sampleOf(realFiles, 4).filter((file) => isTold || isPlain || !needsName(file));
		const results = await downloadEach(
			own,
			way,
			files.map((file) => ({
				content: file.content,
				fileType: file.fileType,
				fileSize: file.content.length,
				...wordsOf(file),
			})),
		);
		const isType = way === 'dataUri' ? what === 'its name and type' : isTold && !isPlain;
		for (const [index, { error, binary, stored }] of results.entries()) {
			const file = files[index]!;
			expect([file.name, error]).toEqual([file.name, undefined]);
			expect([file.name, stored?.equals(file.content)]).toEqual([file.name, true]);
			const expected = isType ? file.mimeType : (file.provenType ?? 'text/plain');
			expect([file.name, binary?.mimeType]).toEqual([file.name, expected]);
		}
	});
});
