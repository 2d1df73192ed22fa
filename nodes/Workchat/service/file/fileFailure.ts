import { Failure, type FailureOptions } from '../failure/failure';
import type { RequestContext } from '../failure/wording';

/** A response came, but no file in it that could be used. */
export function fileFailure(
	context: RequestContext,
	happened: string,
	advice: string,
	options: Pick<FailureOptions, 'outcome' | 'transient'> = { outcome: 'rejected' },
): Failure {
	return new Failure(`${context.receiver} ${happened}`, {
		origin: 'service',
		advice,
		request_id: context.requestId,
		secrets: context.secrets,
		...options,
	});
}
