/** Milliseconds of a `Retry-After` header: seconds or an HTTP date (RFC 9110, section 10.2.3). */
export function retryAfter(header: unknown): number | undefined {
	if (typeof header !== 'string') return undefined;
	const text = header.trim();
	const wait = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
	return Number.isFinite(wait) ? Math.max(0, wait) : undefined;
}
