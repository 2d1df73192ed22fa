/** SHA-256 of a value's JSON, in base64. */
export async function fingerprint(value: unknown): Promise<string> {
	const bytes = new TextEncoder().encode(JSON.stringify(value));
	return Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('base64');
}
