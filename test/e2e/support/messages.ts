import type { IDataObject } from 'n8n-workflow';

import * as ends from '../../support/messages';
import { outputOf } from '../../../dev/engine/workflows';
import type { Execution } from '../../../dev/n8n/n8nClient';
import type { Here } from './setup';

export { customers } from '../../support/messages';

/** The recipients of all requests so far, whatever became of them. */
export const asked = ({ sandbox }: Here) => sandbox.requests.map(({ body }) => body?.toId);

/** The recipients of all messages that were accepted. */
export const received = ({ sandbox }: Here) => sandbox.messages.map(({ toId }) => String(toId));

export const svc = expect.stringMatching(/^svc_/) as string;
export const says = (words: string) => expect.stringContaining(words) as string;

/** The recipients of more than one message. */
export function doubles(here: Here): string[] {
	const all = received(here);
	return all.filter((toId, index) => all.indexOf(toId) !== index);
}

/** The json of what a node put out. */
export const jsonOf = (execution: Pick<Execution, 'data'>, node: string): IDataObject[] =>
	outputOf(execution, node).map(({ json }) => json);

/** How each item of a node ended. */
export const endsOf = (execution: Pick<Execution, 'data'>, node: string): string[] =>
	ends.endsOf(jsonOf(execution, node));

export const errorOf = ({ data }: Pick<Execution, 'data'>) => data.resultData.error;
