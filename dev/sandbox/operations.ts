import { createRequire } from 'node:module';
import { join } from 'node:path';

import type { Field } from '../../nodes/Workchat/operations/fields/field';
import { projectRoot } from '../projectRoot';

/** What the sandbox has to know of an operation of the node. */
export interface Operation {
	name: string;
	path: string;
	/** The request's, beside the instance. */
	fields: Field[];
}

const { resources } = createRequire(__filename)(join(projectRoot, 'dist', 'workchat.js')) as {
	resources: Array<{ operations: Operation[] }>;
};

/** Every operation of the node, as it is built. */
export const operations = resources.flatMap((resource) => resource.operations);

/** What has a recipient is a message. */
export function isMessage({ fields }: Operation): boolean {
	return fields.some(({ name }) => name === 'toId');
}
