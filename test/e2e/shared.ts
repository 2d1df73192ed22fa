import type { Session } from '../../dev/n8n/n8nClient';

/** The n8n that test files share. */
export interface Shared {
	session: Session;
	/** Its user folder. */
	folder: string;
}

const NAME = 'SHARED_N8N';

/** Jest gives to the test files what its global set-up puts into the environment, and nothing else. */
export function share(shared: Shared): void {
	process.env[NAME] = JSON.stringify(shared);
}

export const shared = (): Shared => JSON.parse(process.env[NAME] ?? '') as Shared;
