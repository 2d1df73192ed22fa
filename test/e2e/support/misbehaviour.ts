import type { Here } from './setup';

/** Has the service refuse the next message to somebody. */
export const refuse = ({ sandbox }: Here, toId: string) =>
	sandbox.misbehave({ kind: 'refuse', code: 123, message: 'example reason' }, { toId });

/** Has the service accept the next message to somebody, and the connection break before it says so. */
export const lose = ({ sandbox }: Here, toId: string) =>
	sandbox.misbehave({ kind: 'dropAfterAccepting' }, { toId });
