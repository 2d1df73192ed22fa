import type { Operation } from '../execution/operation';
import { envelopeOperation, type Endpoint, type EnvelopeRequest } from './envelopeOperation';
import type { Field } from './fields/field';
import { refuseOddOption, resendUnknownOption, sendOnceKeyOption } from './options';

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
}: Omit<Endpoint, 'isRepeatable' | 'orderKeyOf'>): Operation<EnvelopeRequest> {
	return envelopeOperation({
		...endpoint,
		isRepeatable: false,
		fields: [toId, ...fields],
		options: [refuseOddOption, resendUnknownOption, sendOnceKeyOption, ...options],
		orderKeyOf: ({ body }) => JSON.stringify([body.instance_guid, body.toId]),
	});
}
