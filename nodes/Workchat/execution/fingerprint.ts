import { createHash } from 'node:crypto';

/** SHA-256 of a value's JSON, in base64. Throws where the value has none, such as one with a circle. */
export function fingerprint(value: unknown): string {
	return createHash('sha256').update(JSON.stringify(value)).digest('base64');
}
