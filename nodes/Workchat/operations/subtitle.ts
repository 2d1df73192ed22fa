/** An expression for a node's subtitle on the canvas: the title of the option that a parameter has. */
export function subtitleOf(
	parameterName: string,
	options: Array<{ name: string; value: string }>,
): string {
	const titles = Object.fromEntries(options.map(({ name, value }) => [value, name]));
	return `={{ (${JSON.stringify(titles)})[$parameter["${parameterName}"]] }}`;
}
