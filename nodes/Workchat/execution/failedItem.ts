import {
	NodeApiError,
	NodeOperationError,
	type INode,
	type INodeExecutionData,
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
	const error =
		failure.origin === 'input' || failure.origin === 'n8n'
			? new NodeOperationError(bareNode, message, { description, itemIndex })
			: new NodeApiError(bareNode, { outcome, ...details }, { message, description, itemIndex });
	// n8n puts its own words in place of some, and takes the envelope's code for an HTTP status.
	// It also takes every message with the word "canceled" for a cancelled execution.
	error.message = message.replaceAll('canceled', 'cancelled');
	if (error instanceof NodeApiError) error.httpCode = details.httpStatus?.toString() ?? null;
	return error;
}
