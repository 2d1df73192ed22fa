import { createRequire } from 'node:module';
import { join } from 'node:path';

import type { Field } from '../../nodes/Workchat/operations/fields/field';
import { projectRoot } from '../projectRoot';

/** What the sandbox needs to know about an operation of the node. */
export interface Operation {
	name: string;
	path: string;
	/** Of the request, except for the instance. */
	fields: Field[];
}

const { resources } = createRequire(__filename)(join(projectRoot, 'dist', 'workchat.js')) as {
	resources: Array<{ operations: Operation[] }>;
};

/** Every operation of the built node. */
export const operations = resources.flatMap((resource) => resource.operations);

/** Whether it sends a message: it then has a recipient. */
export function isMessage({ fields }: Operation): boolean {
	return fields.some(({ name }) => name === 'toId');
}
