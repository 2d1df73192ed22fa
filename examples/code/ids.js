// How people write IDs, and when two are the same.
const UNSEEN = /\p{Default_Ignorable_Code_Point}|(?![\t-\r\x85])\p{Cc}/gu;
const clean = (value) =>
	String(value ?? '')
		.replace(UNSEEN, '')
		.trim();
const plain = (value) => clean(value).normalize('NFKC').toLowerCase();

// A cell may hold several IDs, in quotes or brackets, as ="…", '… or 788…0.00, in full-width
// characters, or as one with its digits in groups.
const partsOf = (value) => {
	const whole = plain(value).replace(/^=/, '');
	const digits = /^\d{1,4}(?:[,.'’\s-]\d{3,4})+$/.test(whole) ? whole.replace(/\D/g, '') : '';
	const lines = whole.split(/[,;、|\r\n\t\v\f\x85\u2028\u2029]+/);
	return [digits, ...lines, ...lines.flatMap((line) => line.split(/\s+/))];
};
const idsIn = (value) =>
	partsOf(value)
		.map((part) => part.replace(/\s/g, ''))
		.map((part) => part.replace(/^=?["'`“”‘’「『«[({【]+|["'`“”‘’」』»\])}】]+$/g, ''))
		.map((part) => part.replace(/^(\d{4,})\.0+$/, '$1'))
		.filter((id) => id);

// By its digits an ID is found that lost zeros before it, and by 15 of them one that a spreadsheet cut.
const marksOf = (id) => [
	id,
	...(/^0*[1-9]\d*$/.test(id) ? [`digits ${id.replace(/^0+/, '')}`] : []),
	...(/^\d{16,}$/.test(id) ? [`${id.length} ${id.slice(0, 15)}`] : []),
];
const isCut = (id) => /^\d{15}0+$/.test(id);
// Of one that was not cut, the first 15 digits say nothing.
const unwantedMarksOf = (id) => (isCut(id) ? marksOf(id) : marksOf(id).slice(0, 2));
const meets = (toId, unwanted) =>
	idsIn(toId)
		.flatMap(marksOf)
		.some((mark) => unwanted.has(mark));

// Of a number beyond 2^53, and of one as a spreadsheet shortens it, the last digits are lost.
const isRounded = (value) =>
	typeof value === 'number'
		? !Number.isSafeInteger(value)
		: partsOf(value).some((part) =>
				/^\D?[-+]?\d+(?:\.\d+)?\s*e\s*\+\s*\d+\D?$|^\D?[-+]?\d+\.\d+e\d{2,}\D?$/.test(part),
			);

/** The marks of all entries of the list of those who must not be written to. */
const unwantedIn = (entries, name, begin) => {
	const rounded = entries.find(({ toId }) => isRounded(toId));
	if (rounded) {
		throw new Error(
			`${begin} In ${name}, row ${rounded.row} is ${rounded.toId}, a number whose last digits are lost, so nobody knows whom it means. Enter the IDs anew, as text: in a table, into a column toId of the type String.`,
		);
	}
	return new Set(entries.flatMap(({ toId }) => idsIn(toId).flatMap(unwantedMarksOf)));
};
