import type { Operation } from '../execution/operation';
import { envelopeOperation, type Endpoint, type EnvelopeRequest } from './envelopeOperation';
import type { Field } from './fields/field';
import { readSendOnceKey, resendUnknownOption, sendOnceKeyOption } from './options';

const toId: Field = {
	name: 'toId',
	label: 'Recipient ID',
	type: 'id',
	example: 'customer-1',
	description: 'ID of the customer or group that gets the message',
};

/** An operation that sends a message: to one recipient, in order, and never twice. */
export function messageOperation({
	fields = [],
	options = [],
	...endpoint
}: Omit<Endpoint, 'isRepeatable' | 'orderKeyOf' | 'recipientOf'>): Operation<EnvelopeRequest> {
	const operation = envelopeOperation({
		...endpoint,
		isRepeatable: false,
		fields: [toId, ...fields],
		options: [resendUnknownOption, sendOnceKeyOption, ...options],
		recipientOf: (body) => body.toId as string | undefined,
		orderKeyOf: ({ body }) => JSON.stringify([body.instance_guid, body.toId]),
	});
	return {
		...operation,
		async read(context, itemIndex, credential) {
			const request = await operation.read(context, itemIndex, credential);
			// Part of what n8n remembers of a message: see execution/once/names.ts.
			const { toId: recipient, ...others } = request.body;
			const sendOnceKey = readSendOnceKey(context, request.options, request.wording);
			return { ...request, body: { ...others, toId: recipient }, sendOnceKey };
		},
	};
}
