/** Lists the first `max` values: "a, b, c and 4 more". */
export function formatList<T>(
	values: T[],
	max: number,
	nameOf = (value: T) => String(value),
): string {
	const names = values.slice(0, max).map((value) => nameOf(value));
	const more = values.length > max ? ` and ${values.length - max} more` : '';
	return names.join(', ') + more;
}
