import { listed } from '../../service/text/listed';
import { checkFields, refused, type CheckedFields } from './checkFields';
import type { FieldGroup } from './field';
import { findFields, type Candidate } from './findFields';

/**
 * The fields of a group, found in a JSON value by their names.
 * @param container what is searched, in words
 */
export async function fieldsFromJson(
	{ name: likely, displayName, fields }: FieldGroup,
	json: unknown,
	container: string,
): Promise<CheckedFields> {
	const names = fields.map(({ name }) => name);
	const { complete, best } = await findFields(fields, json, likely);
	const placeOf = ({ place }: Candidate) => (place === '' ? container : shown(place));

	const [first = best, ...others] = complete;
	if (!first) {
		const there = contents(keysOf(json), container);
		return refused(
			`${displayName}: none of its fields (${names.join(', ')}) was found in ${container}${there}`,
		);
	}
	if (others.some((other) => !first.isSameAs(other))) {
		const places = listed(complete, MOST, placeOf);
		return refused(`${displayName} stands in several places with different values: ${places}`);
	}
	const place = placeOf(first);
	const missing = names.filter((name) => !first.has(name));
	const checked = checkFields(
		fields.filter(({ name }) => first.has(name)),
		{
			valueOf: ({ name }) => first.valueOf(name),
			nameOf: ({ name }) => name,
			whyEmpty: () => `is empty in ${place}`,
		},
	);
	return {
		...checked,
		problems: [
			...(missing.length > 0 ? [missingIn(missing) + contents(first.keys, place)] : []),
			...first.clashes.map((keys) => clashIn(keys, place)),
			...checked.problems,
		],
	};
}

/** How many names an error lists. */
const MOST = 10;
const LONGEST = 100;

function missingIn(names: string[]): string {
	return `${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} missing`;
}

/** What is there instead, such as a misspelt name. */
function contents(keys: string[], place: string): string {
	return keys.length === 0
		? ` (${place} is empty)`
		: ` (${place} has: ${listed(keys, MOST, shown)})`;
}

function clashIn(keys: string[], place: string): string {
	const names = listed(keys, MOST, (key) => `"${shown(key)}"`);
	return `${names} of ${place} are the same field with different values`;
}

function shown(name: string): string {
	return name.length > LONGEST ? `${name.slice(0, LONGEST)}…` : name;
}

function keysOf(json: unknown): string[] {
	return typeof json === 'object' && json !== null ? Object.keys(json) : [];
}
