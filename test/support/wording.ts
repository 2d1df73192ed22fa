import { Secrets } from '../../nodes/Workchat/service/failure/secrets';
import type { Wording } from '../../nodes/Workchat/service/failure/wording';

/** What failures need to know of any request. */
export const wording: Wording = {
	receiver: 'The service',
	isRepeatable: false,
	secrets: Secrets.NONE,
};
