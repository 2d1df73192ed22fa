import { envelopeOperation, type Endpoint, type PanelOperation } from './envelopeOperation';
import type { Field } from './fields/field';
import { normalizeGuid } from './fields/instanceGuid';
import {
	changingKeyNotices,
	longIdsOption,
	readSendOnceKey,
	refuseOddOption,
	resendUnknownOption,
	sendOnceKeyOption,
} from './options';

const toId: Field = {
	name: 'toId',
	label: 'Recipient ID',
	type: 'id',
	zeroMeaning: 'a placeholder for the group in a private chat: use the ID of the person',
	example: 'customer-1',
	hint: 'Add the option Send Once Key to prevent duplicates',
	description:
		"ID of the customer or group that gets the message. Callbacks may contain it; otherwise, ask the service's provider.",
};

/** Creates an operation that sends a message to a recipient: in order, and without duplicates. */
export function messageOperation({
	fields = [],
	options = [],
	...endpoint
}: Omit<Endpoint, 'isRepeatable'>): PanelOperation {
	const operation = envelopeOperation({
		...endpoint,
		isRepeatable: false,
		fields: [toId, ...fields],
		options: [longIdsOption, refuseOddOption, resendUnknownOption, sendOnceKeyOption, ...options],
	});
	return {
		...operation,
		async read(context, itemIndex, credential) {
			const request = await operation.read(context, itemIndex, credential);
			const { body, about, notices = [] } = request;
			const sendOnceKey = readSendOnceKey(context, request.options, about);
			const instance_guid = String(normalizeGuid(body.instance_guid));
			return {
				...request,
				canonicalBody: { ...body, instance_guid },
				orderKey: JSON.stringify([instance_guid, body.toId]),
				sendOnceKey,
				notices: [...notices, ...changingKeyNotices(context)],
			};
		},
	};
}
