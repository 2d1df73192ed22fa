import { createHash } from 'node:crypto';

import { jsonStringify } from 'n8n-workflow';

/** The SHA-256 of a value's JSON, in base64. The value may contain circular references. */
export function digestOf(value: unknown): string {
	const json = jsonStringify(value, { replaceCircularRefs: true });
	return createHash('sha256').update(json).digest('base64');
}
