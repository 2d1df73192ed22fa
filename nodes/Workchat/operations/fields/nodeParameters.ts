import type { IExecuteFunctions } from 'n8n-workflow';

/** The value of a parameter for an item. Without an expression in it, n8n evaluates it only once. */
export function readParameter(
	context: IExecuteFunctions,
	name: string,
	itemIndex: number,
	fallback: unknown,
): unknown {
	const constants = knownOf(context).constants;
	if (constants.has(name)) return constants.get(name);
	const value: unknown = context.getNodeParameter(name, itemIndex, fallback);
	if (!hasExpression(rawParameter(context, name))) constants.set(name, value);
	return value;
}

/** A parameter as the user wrote it, which is the same for all items. */
export function rawParameter(context: IExecuteFunctions, name: string): unknown {
	const { raws } = knownOf(context);
	if (!raws.has(name)) {
		raws.set(name, context.getNodeParameter(name, 0, null, { rawExpressions: true }));
	}
	return raws.get(name);
}

/** Whether a parameter, or anything in it, is an expression. */
export function hasExpression(raw: unknown): boolean {
	if (typeof raw === 'string') return raw.startsWith('=');
	return typeof raw === 'object' && raw !== null && Object.values(raw).some(hasExpression);
}

interface Known {
	constants: Map<string, unknown>;
	raws: Map<string, unknown>;
}

/** By the run, as each has a context of its own. */
const known = new WeakMap<IExecuteFunctions, Known>();

function knownOf(context: IExecuteFunctions): Known {
	const present = known.get(context);
	if (present) return present;
	const created: Known = { constants: new Map(), raws: new Map() };
	known.set(context, created);
	return created;
}
