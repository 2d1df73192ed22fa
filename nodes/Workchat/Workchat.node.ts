import {
	NodeConnectionTypes,
	NodeOperationError,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';

import { runOperation } from './execution/run';
import { byName, findOperation, operationParameters, operations, resources } from './operations';
import { download } from './operations/download';
import { parameter } from './operations/fields/field';
import { subtitleOf } from './operations/subtitle';
import { createConnectionTest } from './service/testConnection';

export class Workchat implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Workchat',
		name: 'workchat',
		icon: { light: 'file:workchat.svg', dark: 'file:workchat.dark.svg' },
		group: ['output'],
		version: 1,
		subtitle: subtitleOf('operation', operations),
		description: operations.map(({ action }) => action).join(' · '),
		defaults: { name: 'Workchat' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'workchatApi', required: true, testedBy: 'testConnection' }],
		properties: [
			parameter('resource', 'Resource', 'message', {
				type: 'options',
				noDataExpression: true,
				options: resources.map(({ name, value }) => ({ name, value })).sort(byName),
			}),
			...operationParameters,
		],
	};

	methods = { credentialTest: { testConnection: createConnectionTest(download.path) } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const resource = this.getNodeParameter('resource', 0);
		const value = this.getNodeParameter('operation', 0);
		const operation = findOperation(resource, value);
		if (!operation) {
			throw new NodeOperationError(this.getNode(), `There is no operation "${value}"`, {
				description: 'Open the node and choose a resource and an operation.',
			});
		}
		return [await runOperation(this, operation)];
	}
}
