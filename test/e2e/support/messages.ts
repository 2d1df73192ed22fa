import type { IDataObject } from 'n8n-workflow';

import { outputOf } from '../../../dev/engine/workflows';
import type { Execution } from '../../../dev/n8n/n8nClient';
import * as ends from '../../support/messages';
import type { Here } from './setup';

export { customers } from '../../support/messages';

/** Has the service refuse the next message to somebody. */
export const refuse = ({ sandbox }: Here, toId: string) =>
	sandbox.misbehave({ kind: 'refuse', code: 123, message: 'example reason' }, { toId });

/** Has the service accept the next message to somebody, and the connection break before it says so. */
export const lose = ({ sandbox }: Here, toId: string) =>
	sandbox.misbehave({ kind: 'dropAfterAccepting' }, { toId });

/** The recipients of all requests so far, whatever became of them. */
export const asked = ({ sandbox }: Here) => sandbox.requests.map(({ body }) => body?.toId);

/** The recipients of all messages that were accepted. */
export const received = ({ sandbox }: Here) => sandbox.messages.map(({ toId }) => String(toId));

export const says = (words: string) => expect.stringContaining(words) as string;

/** The recipients of more than one message. */
export const doubles = (here: Here) =>
	received(here).filter((toId, index, all) => all.indexOf(toId) !== index);

/** The json of what a node put out. */
export const jsonOf = (execution: Pick<Execution, 'data'>, node: string): IDataObject[] =>
	outputOf(execution, node).map(({ json }) => json);

/** How each item of a node ended. */
export const endsOf = (execution: Pick<Execution, 'data'>, node: string): string[] =>
	ends.endsOf(jsonOf(execution, node));

export const errorOf = ({ data }: Pick<Execution, 'data'>) => data.resultData.error;
