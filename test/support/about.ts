import type { About } from '../../nodes/Workchat/service/failure/failure';

/** What failures need to know of any request. */
export const about: About = { receiver: 'The service', isRepeatable: false, secrets: [] };
