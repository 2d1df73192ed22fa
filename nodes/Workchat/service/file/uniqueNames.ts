import { addNumber } from './fileName';

export interface NamedFile {
	file: { fileName: string };
	binary: { fileName?: string };
	/** Whether the user chose the name. */
	isUserNamed: boolean;
}

/**
 * Numbers files of a run that have the same name, in their order: `image.jpg`, `image-2.jpg`. A name
 * that the user chose is not changed.
 */
export function makeNamesUnique(files: NamedFile[]): void {
	const taken = new Set(files.map(({ file }) => normalizeForDisk(file.fileName)));
	const numbers = new Map<string, number>();
	const userNamedFirst = files.toSorted(
		(one, other) => Number(other.isUserNamed) - Number(one.isUserNamed),
	);
	for (const { binary, file, isUserNamed } of userNamedFirst) {
		const key = normalizeForDisk(file.fileName);
		let name = file.fileName;
		let number = numbers.get(key) ?? 1;
		while (number > 1 && !isUserNamed && taken.has(normalizeForDisk(name))) {
			name = addNumber(file.fileName, number++);
		}
		numbers.set(key, Math.max(number, 2));
		binary.fileName = file.fileName = name;
	}
}

/** For Windows and macOS, names are the same if they differ only in case or in the encoding of accents. */
function normalizeForDisk(name: string): string {
	return name.toLowerCase().toUpperCase().normalize('NFC');
}
