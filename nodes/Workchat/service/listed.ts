/** "a, b, c and 4 more": as short as a sentence for people has to be. */
export function listed(names: Array<string | number>, most: number): string {
	const more = names.length > most ? ` and ${names.length - most} more` : '';
	return names.slice(0, most).join(', ') + more;
}
