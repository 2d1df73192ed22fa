import type { Operation } from './operations';

/** The request body of an operation. All fields are required. */
export function bodyOf({ fields }: Operation) {
	const properties = fields.map(({ name, type, options }) => {
		if (type !== 'integer') return [name, text];
		return [name, { type, ...(options && { enum: options.map(({ value }) => value) }) }];
	});
	return objectOf({ instance_guid: text, ...Object.fromEntries(properties) });
}

export const text = { type: 'string', minLength: 1 };

export function objectOf(properties: Record<string, object>) {
	const required = Object.keys(properties);
	return { type: 'object', properties, required, additionalProperties: false };
}
