import { createHash } from 'node:crypto';

import { jsonStringify } from 'n8n-workflow';

/** SHA-256 of a value's JSON, in base64; also of a value that holds itself. */
export function digestOf(value: unknown): string {
	const json = jsonStringify(value, { replaceCircularRefs: true });
	return createHash('sha256').update(json).digest('base64');
}
