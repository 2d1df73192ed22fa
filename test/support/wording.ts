import type { Wording } from '../../nodes/Workchat/service/failure/failure';

/** What failures need to know of any request. */
export const wording: Wording = { receiver: 'The service', isRepeatable: false, secrets: [] };
