import { updateDisplayOptions, type INodeProperties } from 'n8n-workflow';

import type { Operation } from '../execution/operation';
import { download } from './download';
import { sendFeedVideo } from './sendFeedVideo';

interface Resource {
	name: string;
	value: string;
	/** The first is the default. */
	operations: [Operation, ...Operation[]];
}

export { download };

/** Everything the node can do. A new operation is a file beside these and a name in this table. */
export const resources: Resource[] = [
	{ name: 'File', value: 'file', operations: [download] },
	{ name: 'Message', value: 'message', operations: [sendFeedVideo] },
];

/** What the trigger can look for in a callback. */
export const contents = resources.flatMap(({ operations }) =>
	operations.flatMap(({ content }) => content ?? []),
);

export function findOperation(resource: string, operation: string): Operation | undefined {
	return resources
		.find(({ value }) => value === resource)
		?.operations.find(({ value }) => value === operation);
}

/** The Operation parameter of each resource, and each operation's own parameters. */
export const operationParameters = resources.flatMap(({ value: resource, operations }) => [
	operationParameter(resource, operations),
	...operations.flatMap(({ value, parameters }) =>
		updateDisplayOptions({ show: { resource: [resource], operation: [value] } }, parameters),
	),
]);

function operationParameter(resource: string, operations: Resource['operations']): INodeProperties {
	const preset = operations[0].value;
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [resource] } },
		options: operations.map(({ name, value, action, description }) => ({
			name,
			value,
			action,
			description,
		})),
		default: preset,
	};
}
