import { numbered } from './fileName';

export interface NamedFile {
	file: { fileName: string };
	binary: { fileName?: string };
	/** Whether the user gave it its name. */
	isNamed: boolean;
}

/**
 * Numbers the files of a run that have the name of another one, in their order: `image.jpg`,
 * `image-2.jpg`. A name that the user gave stays as it is.
 */
export function giveOwnNames(files: NamedFile[]): void {
	const taken = new Set(files.map(({ file }) => sameOnDisk(file.fileName)));
	const numbers = new Map<string, number>();
	const inTurn = files.toSorted((one, other) => Number(other.isNamed) - Number(one.isNamed));
	for (const { binary, file, isNamed } of inTurn) {
		const own = sameOnDisk(file.fileName);
		let name = file.fileName;
		let number = numbers.get(own) ?? 1;
		while (number > 1 && !isNamed && taken.has(sameOnDisk(name))) {
			name = numbered(file.fileName, number++);
		}
		numbers.set(own, Math.max(number, 2));
		binary.fileName = file.fileName = name;
	}
}

/** Windows and macOS take names for the same that differ in capitals, or in how an accent is written. */
function sameOnDisk(name: string): string {
	return name.toLowerCase().toUpperCase().normalize('NFC');
}
