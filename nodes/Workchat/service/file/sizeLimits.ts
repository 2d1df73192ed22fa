import type { Wording } from '../failure/wording';
import { fileFailure } from './fileFailure';

export interface SizeLimits {
	/** Bytes; 0 for no limit. */
	maxBytes: number;
	/** Bytes that the file must have, where that is asked for. */
	exactBytes?: number;
}

/** The parts of a file, which fails where it is empty, too large or not of the exact size. */
export async function* withinLimits(
	parts: AsyncIterable<Buffer>,
	{ maxBytes, exactBytes }: SizeLimits,
	wording: Wording,
): AsyncGenerator<Buffer> {
	let bytes = 0;
	for await (const part of parts) {
		bytes += part.length;
		refuseOversize(bytes, maxBytes, wording);
		yield part;
	}
	refuseWrongSize(bytes, exactBytes, wording);
}

export function isOversize(bytes: number, maxBytes: number): boolean {
	return maxBytes > 0 && bytes > maxBytes;
}

/** Also for what a `Content-Length` announces. */
export function refuseOversize(bytes: number, maxBytes: number, wording: Wording): void {
	if (!isOversize(bytes, maxBytes)) return;
	throw fileFailure(
		wording,
		`holds a file of more than ${maxBytes / 1e6} MB`,
		"Raise or empty the 'Max File Size (MB)' option to download it.",
	);
}

export function refuseWrongSize(
	bytes: number,
	exactBytes: number | undefined,
	wording: Wording,
): void {
	if (bytes === 0) {
		throw fileFailure(
			wording,
			'gave an empty file',
			'Check that the file has not expired, then try again.',
		);
	}
	if (exactBytes === undefined || bytes === exactBytes) return;
	throw fileFailure(
		wording,
		`gave ${bytes} bytes, but 'File Size' says ${exactBytes}`,
		"Try again. If 'File Size' is not in bytes, switch off the 'Require Exact Size' option.",
	);
}
