import type { Call } from '../call';
import { Failure, type FailureOptions } from '../failure';

export interface SizeLimits {
	/** Bytes; 0 for no limit. */
	maxBytes: number;
	/** Bytes that the file must have, where that is asked for. */
	exactBytes?: number;
}

export function isOversize(bytes: number, maxBytes: number): boolean {
	return maxBytes > 0 && bytes > maxBytes;
}

/** Also for what a `Content-Length` announces. */
export function refuseOversize(bytes: number, maxBytes: number, call: Call): void {
	if (!isOversize(bytes, maxBytes)) return;
	throw contentFailure(
		call,
		`holds a file of more than ${maxBytes / 1e6} MB`,
		'Raise or empty the Max File Size option to download it.',
	);
}

export function refuseWrongSize(bytes: number, exactBytes: number | undefined, call: Call): void {
	if (bytes === 0) {
		throw contentFailure(
			call,
			'gave an empty file',
			'Check that the file has not expired, then try again.',
		);
	}
	if (exactBytes === undefined || bytes === exactBytes) return;
	throw contentFailure(
		call,
		`gave ${bytes} bytes, but File Size says ${exactBytes}`,
		'Try again. If File Size is not in bytes, switch off the Require Exact Size option.',
	);
}

/** A reply came, but no file in it that could be used. */
export function contentFailure(
	call: Call,
	happened: string,
	advice: string,
	options: Pick<FailureOptions, 'outcome' | 'transient'> = { outcome: 'rejected' },
): Failure {
	return new Failure(`${call.receiver} ${happened}`, {
		origin: 'service',
		advice,
		request_id: call.requestId,
		...options,
	});
}
