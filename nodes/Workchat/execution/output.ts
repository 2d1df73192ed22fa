import {
	NodeApiError,
	NodeOperationError,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
} from 'n8n-workflow';

import { Failure } from '../service/failure/failure';
import { shown } from '../service/failure/redact';
import { Secrets, secretsIn } from '../service/failure/secrets';
import { listedItems } from './hints';
import type { ItemRequest, Operation, Output } from './operation';
import { isTool, isToolOfAgent2 } from './tool';

/** What a model has to read where a message may have been sent, as it would send it again. */
const TOOL_ADVICE =
	'The message may have been sent. Do not send it again: tell the user to check with the recipient.';

/** Characters; none is known to be longer. */
const LONGEST_RECIPIENT = 200;

/** Speaks n8n's language: items, error items and errors. */
export class NodeOutput {
	/** Whether a failed item ends the run with an error. */
	readonly stopsOnError: boolean;
	private readonly isTool: boolean;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly operation: Pick<Operation, 'fields' | 'isRepeatable' | 'recipientParameter'>,
	) {
		this.isTool = isTool(context);
		this.stopsOnError = stopsOnError(context, this.isTool);
	}

	item({ json, binary }: Output, itemIndex: number): INodeExecutionData {
		return { json, ...(binary && { binary }), pairedItem: { item: itemIndex } };
	}

	/**
	 * The output of a failed item. `error` has to be its only key: by that, and not by `item.error`,
	 * n8n routes it to the error output with all its details (n8n-core 2.41.1, workflow-execute:
	 * handleNodeErrorOutput; 1.x knows only `error`). A model reads all of the json.
	 * @param tried whether this execution made a request for it: if not, an earlier one knows more
	 */
	errorItem(failure: Failure, itemIndex: number, tried: boolean): INodeExecutionData {
		const { message, outcome } = failure;
		const advice = this.adviceFor(failure);
		const toId = this.recipientOf(failure, itemIndex);
		const facts = { outcome, tried, ...(toId && { toId }), ...failure.details };
		const pairedItem = { item: itemIndex };
		return this.isTool
			? { json: { error: message, advice, ...facts }, pairedItem }
			: { json: { error: { message, description: advice, ...facts } }, pairedItem };
	}

	/**
	 * The error that stops the workflow. n8n saves it with the node in it (n8n-workflow 2.41,
	 * node.error.js), so the node's parameters may not come along.
	 */
	error(failure: Failure, itemIndex: number, more: string[] = []): Error {
		const bareNode = { ...this.context.getNode(), parameters: {} };
		const { outcome, details } = failure;
		const advice = this.adviceFor(failure);
		const about = `This is about ${this.namedItems([[itemIndex, failure]])}; n8n counts items from 0.`;
		const description = [advice, about, ...more].join(' ');
		// Of an error that is thrown, a model reads the message alone.
		const message = this.isTool ? `${failure.message}. ${advice}` : failure.message;
		const error =
			failure.origin === 'input' || failure.origin === 'n8n'
				? new NodeOperationError(bareNode, message, { description, itemIndex })
				: new NodeApiError(bareNode, { outcome, ...details }, { message, description, itemIndex });
		// n8n puts its own words in place of some, and takes the envelope's code for an HTTP status
		// (n8n-workflow 2.41, node.error.js: COMMON_ERRORS; node-api.error.js). It also takes every
		// message with the word "canceled" for a cancelled execution (n8n-core 2.41.1,
		// workflow-execute: processSuccessExecution).
		error.message = message.replaceAll('canceled', 'cancelled');
		if (error instanceof NodeApiError) error.httpCode = details.httpStatus?.toString() ?? null;
		return error;
	}

	/** "items 3 (customer-4), 5 (customer-6)" */
	namedItems(failed: Array<[itemIndex: number, failure: Failure]>): string {
		return listedItems(failed, ([itemIndex, failure]) => {
			const toId = this.recipientOf(failure, itemIndex);
			return toId ? `${itemIndex} (${toId})` : `${itemIndex}`;
		});
	}

	/** Who gets a message, as it may be shown; none where no operation knows of one. */
	recipientIn({ body, wording }: ItemRequest): string | undefined {
		const { recipientParameter = '' } = this.operation;
		return shownRecipient(body[recipientParameter], wording.secrets);
	}

	/** Of an item that could not be read, as far as it can. */
	private recipientOf({ details }: Failure, itemIndex: number): string | undefined {
		const { fields, recipientParameter } = this.operation;
		if (recipientParameter === undefined || details.toId !== undefined) return details.toId;
		const valueOf = (name: string): unknown => {
			try {
				return this.context.getNodeParameter(name, itemIndex, '');
			} catch {
				return undefined;
			}
		};
		const secrets = new Secrets(() => {
			const secret = fields.filter(({ isSecret }) => isSecret);
			const item = this.context.getInputData()[itemIndex]?.json ?? {};
			const parameters = Object.fromEntries(secret.map(({ name }) => [name, valueOf(name)]));
			return [item, parameters].flatMap((values) => secretsIn(values as IDataObject, secret));
		});
		return shownRecipient(valueOf(recipientParameter), secrets);
	}

	private adviceFor({ outcome, advice }: Failure): string {
		return this.isTool && !this.operation.isRepeatable && outcome === 'unknown'
			? TOOL_ADVICE
			: advice;
	}
}

/** As one short line, as any value may stand where an ID is due: a link, say, with a signature. */
function shownRecipient(value: unknown, secrets: Secrets): string | undefined {
	const isPlain = typeof value === 'string' || typeof value === 'number';
	return isPlain ? shown(String(value), secrets, LONGEST_RECIPIENT) : undefined;
}

/**
 * Agent 2 hands a model nothing of what is thrown, so there a failed item is always put out. Agent 3
 * hands it what is thrown, and nothing of what goes to the error output.
 */
function stopsOnError(context: IExecuteFunctions, asTool: boolean): boolean {
	if (!asTool) return !context.continueOnFail();
	const { onError } = context.getNode();
	return (
		!isToolOfAgent2(context) && (onError === 'continueErrorOutput' || !context.continueOnFail())
	);
}
