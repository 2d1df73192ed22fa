import { NodeApiError, type IExecuteFunctions, type INodeExecutionData } from 'n8n-workflow';

import { Failure, inputFailure } from '../service/failure';
import { connect, type Connection } from '../service/workchat';
import { errorItem, nodeError } from './failedItem';
import type { Operation } from './operation';

/** Runs an operation for every input item. All items are checked before the first is sent. */
export async function run(
	context: IExecuteFunctions,
	operation: Operation,
): Promise<INodeExecutionData[]> {
	const connection = await connect(context);
	const requests = context
		.getInputData()
		.map((_, itemIndex) => readItem(context, operation, itemIndex, connection));

	const results: INodeExecutionData[] = [];
	for (const [itemIndex, request] of requests.entries()) {
		const result =
			request instanceof Failure ? request : await perform(context, operation, connection, request);
		if (!(result instanceof Failure)) results.push({ ...result, pairedItem: { item: itemIndex } });
		else if (context.continueOnFail()) results.push(errorItem(result, itemIndex));
		else throw nodeError(context.getNode(), result, itemIndex);
	}
	return results;
}
function readItem(
	context: IExecuteFunctions,
	operation: Operation,
	itemIndex: number,
	connection: Connection,
): unknown {
	try {
		return operation.read(context, itemIndex, connection);
	} catch (error) {
		return error instanceof Failure ? error : inputFailure(String(error), '');
	}
}
async function perform(
	context: IExecuteFunctions,
	operation: Operation,
	connection: Connection,
	request: unknown,
) {
	try {
		return await operation.perform(context, connection, request);
	} catch (error) {
		if (error instanceof Failure) return error;
		throw new NodeApiError(context.getNode(), error as never);
	}
}
