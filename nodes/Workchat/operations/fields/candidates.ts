import type { IDataObject } from 'n8n-workflow';

import { isBlank, removeInvisible } from '../../common/invisible';
import { isObject, walkJson, type JsonNode, type ValueBudget } from '../../common/json';
import { Yielder } from '../../common/yielder';
import type { Notice } from '../../execution/operation';
import type { Field, FieldGroup } from './field';

/** An object that has fields of a group: `{ "Channel_Name": "A", "feedId": "" }`. */
export interface Candidate {
	node: JsonNode;
	/** By the names of the fields: `{ channelName: 'A', feedId: '' }`. */
	values: Record<string, unknown>;
	/** Fields that the object has twice, with different values. */
	conflicts: string[];
	/** Returns the object's value under any name. */
	valueUnder: (name: string) => unknown;
	/** The group's companions, from this object, or else from the nearest one around it. */
	companions: Record<string, string>;
	notices: Notice[];
	/** Whether all fields have a value that is not empty. */
	isComplete: boolean;
	/** Higher for more fields with a value that is not empty, then for more fields with any value. */
	rank: number;
}

interface Search {
	/** Whether to find complete objects at all depths. By default, only those at the smallest depth count. */
	atAllDepths?: boolean;
	budget?: ValueBudget;
}

/**
 * Finds the complete objects with the fields of a group, also in texts that are JSON. If there is none,
 * finds the object with the highest rank, the first of several. Throws `TooManyValues`.
 */
export async function findCandidates(
	roots: unknown[],
	group: FieldGroup,
	{ atAllDepths = false, budget }: Search = {},
): Promise<Candidate[]> {
	const complete: Candidate[] = [];
	let bestIncomplete: Candidate | undefined;
	// The walk is breadth first: all later objects are at the depth of the first complete one, or deeper.
	const shouldStop = (depth: number) =>
		!atAllDepths && complete[0] !== undefined && depth > complete[0].node.depth;
	const companionsByNode = new Map<JsonNode | undefined, Candidate['companions']>();
	const indexed = indexByName(group);
	const yielder = new Yielder();
	for (const node of walkJson(roots, shouldStop, budget)) {
		if (yielder.isDue()) await yielder.yieldNow();
		const { value, parent } = node;
		if (!isObject(value)) continue;
		const matched = matchObject(value, indexed);
		const companions = { ...companionsByNode.get(parent), ...matched.companions };
		companionsByNode.set(node, companions);
		const candidate = { ...matched, node, companions };
		if (candidate.isComplete) complete.push(candidate);
		else if (candidate.rank > (bestIncomplete?.rank ?? 0)) bestIncomplete = candidate;
	}
	if (complete.length > 0) return complete;
	return bestIncomplete ? [bestIncomplete] : [];
}

/** A group with its fields by normalized name, made once for all objects. */
function indexByName(group: FieldGroup) {
	const named = group.fields.flatMap((field) =>
		[field.name, field.label].map((name) => [normalizeName(name), field] as const),
	);
	return { ...group, fieldByName: new Map(named) };
}

function matchObject(
	object: IDataObject,
	{ fields, fieldByName, companions = [], resolveAliases }: ReturnType<typeof indexByName>,
): Omit<Candidate, 'node'> {
	const keys = Array.isArray(object) ? [] : Object.keys(object);
	const entries = keys.map((key) => ({ name: normalizeName(key), value: object[key] }));
	const valueUnder = (name: string) => findValue(entries, name);

	const values: Candidate['values'] = {};
	const conflicts: string[] = [];
	const valuesByField = new Map<Field, unknown[]>();
	for (const { name, value } of entries) {
		const field = fieldByName.get(name);
		if (field) valuesByField.set(field, [...(valuesByField.get(field) ?? []), value]);
	}
	for (const [field, own] of valuesByField) {
		// An object may have a field twice: `channelName` and "Channel Name". An empty value does not count.
		const filled = own.filter((value) => !isEmptyValue(value, field));
		const chosen = filled.length > 0 ? filled[0] : own.at(-1);
		values[field.name] = chosen;
		if (filled.some((value) => !isSameText(value, chosen))) conflicts.push(field.name);
	}
	const resolved = resolveAliases?.(values, valueUnder);
	Object.assign(values, resolved?.values);

	const filledCount = fields.filter((field) => !isEmptyValue(values[field.name], field)).length;
	return {
		values,
		conflicts,
		valueUnder,
		companions: findCompanions(entries, companions),
		notices: resolved ? [{ text: resolved.notice }] : [],
		isComplete: filledCount === fields.length,
		rank: filledCount * fields.length + Object.keys(values).length,
	};
}

/** The keys of an object, normalized, with their values. */
type Entries = Array<{ name: string; value: unknown }>;

function findValue(entries: Entries, wanted: string): unknown {
	const normalized = normalizeName(wanted);
	return entries.findLast(({ name }) => name === normalized)?.value;
}

function findCompanions(entries: Entries, names: string[]): Record<string, string> {
	const found: Record<string, string> = {};
	for (const name of names) {
		const value = findValue(entries, name);
		if (typeof value === 'string' && !isBlank(value)) found[name] = value;
	}
	return found;
}

/** Ignores case, invisible characters, spaces, "_" and "-": `Channel_Name` becomes `channelname`. */
function normalizeName(name: string): string {
	return removeInvisible(name)
		.toLowerCase()
		.replace(/[\s_-]/g, '');
}

/** Whether a value cannot be the field's: empty, an object, `false`, or a size of 0. */
function isEmptyValue(value: unknown, { type }: Field): boolean {
	if (isObject(value) || value === false || isBlank(value)) return true;
	return type === 'integer' && Number(value) === 0;
}

/** Whether two values are sent as the same text. */
export function isSameText(one: unknown, other: unknown): boolean {
	return one === other || (!isObject(one) && String(one) === String(other));
}
