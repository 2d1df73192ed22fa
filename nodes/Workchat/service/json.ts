import { Breather } from './breather';

/**
 * The value of JSON, with whole numbers beyond 2^53 as text: as numbers they lose their last digits.
 * Megabytes are read in turns with others.
 */
export async function parseJson(json: string): Promise<unknown> {
	const breather = new Breather();
	const pieces: string[] = [];
	for (const piece of exactPiecesOf(json)) {
		if (piece !== '') pieces.push(piece);
		if (breather.isDue()) await breather.breathe();
	}
	return JSON.parse(pieces.join(''));
}

/** What begins a text, or a whole number that may be too long. */
const TEXT_OR_LONG = /"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE+-])/g;

/** JSON in pieces, with long numbers in quotes; empty ones on the way. */
function* exactPiecesOf(json: string): Generator<string> {
	const next = new RegExp(TEXT_OR_LONG);
	let taken = 0;
	for (let match; (match = next.exec(json)); ) {
		const [token] = match;
		if (token !== '"') {
			if (Number.isSafeInteger(Number(token))) continue;
			yield `${json.slice(taken, match.index)}"${token}"`;
			taken = next.lastIndex;
			continue;
		}
		let end = match.index;
		do {
			end = json.indexOf('"', end + 1);
			yield '';
		} while (end >= 0 && isEscaped(json, end));
		if (end < 0) break;
		next.lastIndex = end + 1;
	}
	yield json.slice(taken);
}

/** Whether an odd number of backslashes stands before a place. */
function isEscaped(json: string, place: number): boolean {
	let first = place;
	while (json[first - 1] === '\\') first--;
	return (place - first) % 2 === 1;
}
