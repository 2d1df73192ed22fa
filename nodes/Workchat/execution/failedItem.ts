import {
	NodeApiError,
	NodeOperationError,
	type INode,
	type INodeExecutionData,
	type JsonObject,
} from 'n8n-workflow';

import { Failure } from '../service/failure';

/**
 * The output of a failed item for Continue On Fail. `error` has to be its only key: by that, and
 * not by `item.error`, n8n routes it to the error output with all its details.
 */
export function errorItem(failure: Failure, itemIndex: number): INodeExecutionData {
	const { message, advice, outcome, details } = failure;
	return {
		json: { error: { message, description: advice, outcome, ...details } },
		pairedItem: { item: itemIndex },
	};
}

/** The error that stops the workflow. n8n saves it, so the node's parameters may not come along. */
export function nodeError(
	node: INode,
	failure: Failure,
	itemIndex: number,
	description = failure.advice,
): NodeApiError | NodeOperationError {
	const bareNode = { ...node, parameters: {} };
	const { message, outcome, details } = failure;
	if (failure.origin === 'input') {
		return new NodeOperationError(bareNode, message, { description, itemIndex });
	}
	const response: JsonObject = { outcome, ...details };
	const error = new NodeApiError(bareNode, response, { message, description, itemIndex });
	// n8n puts its own words in place of some, and takes the envelope's code for an HTTP status.
	error.message = message;
	error.httpCode = details.httpStatus === undefined ? null : String(details.httpStatus);
	return error;
}
