import { makeNamesUnique } from '../../../../nodes/Workchat/service/file/uniqueNames';

/** Makes names unique; one that the user chose begins with a "!". */
function uniqueNames(...names: string[]): string[] {
	const files = names.map((name) => {
		const fileName = name.replace('!', '');
		return { binary: { fileName }, file: { fileName }, isUserNamed: name.startsWith('!') };
	});
	makeNamesUnique(files);
	expect(files.map(({ binary }) => binary.fileName)).toEqual(
		files.map(({ file }) => file.fileName),
	);
	return files.map(({ file }) => file.fileName);
}

test.each([
	['', ''],
	['a.jpg b.jpg a.jpg a.jpg', 'a.jpg b.jpg a-2.jpg a-3.jpg'],
	['a.jpg a.jpg a-2.jpg a-2.jpg', 'a.jpg a-3.jpg a-2.jpg a-2-2.jpg'],
	['Photo.jpg photo.JPG \u00e9 e\u0301', 'Photo.jpg photo-2.JPG \u00e9 e\u0301-2'],
	['ς Σ ß SS', 'ς Σ-2 ß SS-2'],
	['a !a !a a', 'a-2 a a a-3'],
	['a.tar.gz a.tar.gz', 'a.tar.gz a.tar-2.gz'],
])('files called %j are stored as %j, so none overwrites another', (names, unique) => {
	expect(uniqueNames(...names.split(' ')).join(' ')).toBe(unique);
});

test('20,000 equal names become different', () => {
	const names = uniqueNames(...Array<string>(20_000).fill('image.jpg'));
	expect(new Set(names).size).toBe(20_000);
	expect(names.at(-1)).toBe('image-20000.jpg');
});
