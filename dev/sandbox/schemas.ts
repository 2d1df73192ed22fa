import { callbacks, deliveries } from './inventions';
import { KINDS } from './misbehaviour';
import type { Operation } from './operations';

/** The request body of an operation. All fields are required. */
export function bodyOf({ fields }: Operation) {
	const properties = fields.map(({ name, type, options }) => {
		if (type !== 'integer') return [name, text()];
		return [name, { type, ...(options && { enum: options.map(({ value }) => value) }) }];
	});
	return objectOf({ instance_guid: text(), ...Object.fromEntries(properties) });
}

/** What the sandbox can be told over HTTP; it is no part of the service. */
export const misbehaveBody = {
	type: 'object',
	properties: {
		kind: { enum: Object.keys(KINDS) },
		status: { type: 'integer', minimum: 400, maximum: 599 },
		retryAfter: text(),
		hasEnvelope: { type: 'boolean' },
		code: { type: 'integer' },
		message: text(),
		location: text(),
		milliseconds: { type: 'integer', minimum: 0 },
		times: { type: 'integer', minimum: 1 },
		on: { enum: ['api', 'file'] },
		toId: text(),
		isAccepted: { type: 'boolean' },
	},
	required: ['kind'],
	additionalProperties: false,
	allOf: Object.entries(KINDS).map(([kind, { needs = [] }]) => ({
		if: { properties: { kind: { const: kind } }, required: ['kind'] },
		then: { required: needs },
	})),
};

export const downloadResponseBody = objectOf({
	as: { enum: ['body', ...Object.keys(deliveries)] },
});

export const callbackBody = objectOf({
	kind: { enum: [...Object.keys(callbacks), 'again'] },
	url: { type: 'string', pattern: '^https?://' },
});

export const resetBody = objectOf({});

function text() {
	return { type: 'string', minLength: 1 };
}

function objectOf(properties: Record<string, object>) {
	return {
		type: 'object',
		properties,
		required: Object.keys(properties),
		additionalProperties: false,
	};
}
