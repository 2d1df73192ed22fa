import { addNumber } from './fileName';

export interface NamedFile {
	file: { fileName: string };
	binary: { fileName?: string };
	/** Whether it is exactly the name that the user chose. */
	isUserNamed: boolean;
}

/**
 * Numbers files of a run that have the same name, in their order: `image.jpg`, `image-2.jpg`. A name
 * that the user chose is not changed.
 */
export function makeNamesUnique(files: NamedFile[]): void {
	const taken = new Set(files.map(({ file }) => normalizeForDisk(file.fileName)));
	/** For names that were used, the next number. */
	const nextNumbers = new Map<string, number>();
	const userNamedFirst = files.toSorted(
		(one, other) => Number(other.isUserNamed) - Number(one.isUserNamed),
	);
	for (const { binary, file, isUserNamed } of userNamedFirst) {
		const key = normalizeForDisk(file.fileName);
		const isFirst = !nextNumbers.has(key);
		let number = nextNumbers.get(key) ?? 2;
		let name = file.fileName;
		if (!isFirst && !isUserNamed) {
			do {
				name = addNumber(file.fileName, number++);
			} while (taken.has(normalizeForDisk(name)));
		}
		nextNumbers.set(key, number);
		binary.fileName = name;
		file.fileName = name;
	}
}

/** For Windows and macOS, names are the same if they differ only in case or in the encoding of accents. */
function normalizeForDisk(name: string): string {
	return name.toLowerCase().toUpperCase().normalize('NFC');
}
