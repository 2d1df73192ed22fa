/**
 * "a, b, c and 4 more": as short as a sentence for people has to be.
 * @param count how many there are, if `names` are only the first of them
 */
export function listed(
	names: Array<string | number>,
	most: number,
	count: number = names.length,
): string {
	const more = count > most ? ` and ${count - most} more` : '';
	return names.slice(0, most).join(', ') + more;
}
