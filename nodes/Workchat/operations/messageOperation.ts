import type { ItemRequest, Operation } from '../execution/operation';
import { postForEnvelope, wordingOf } from '../service/workchat';
import { checkFields, validated } from './fields/checkFields';
import { parameterOf, type Field, type FieldGroup } from './fields/field';
import { groupParameters, readGroup } from './fields/fieldGroup';
import { instanceGuidParameter, readInstanceGuid } from './fields/instanceGuid';
import {
	maxConcurrencyOption,
	maxTriesOption,
	numberOption,
	optionsParameter,
	readOptions,
	readRunSettings,
	requestIntervalOption,
	readSendOnceKey,
	resendUnknownOption,
	sendOnceKeyOption,
	timeoutOption,
} from './options';
import { parameterSource } from './fields/parameterSource';
import { isSimplified, jsonOf, simplifyParameter } from './simplify';

interface MessageRequest extends ItemRequest {
	timeout: number;
	simplify: boolean;
}

/** What is particular to one kind of message. */
export interface MessageOperation
	extends Pick<Operation, 'value' | 'name' | 'action' | 'description' | 'path'> {
	/** What is sent. */
	content: FieldGroup;
}

const toId: Field = {
	name: 'toId',
	label: 'Recipient ID',
	type: 'id',
	placeholder: 'e.g. customer-1',
	description: 'ID of the customer or group that gets the message',
};
const maxConcurrency = maxConcurrencyOption(1);
const timeout = timeoutOption(30_000);

/** An operation that sends a message: to one recipient, in order, and never twice. */
export function messageOperation({
	content,
	...operation
}: MessageOperation): Operation<MessageRequest> {
	const facts = { isRepeatable: false, fields: [toId, ...content.fields] };
	const contentParameters = [parameterOf(toId), instanceGuidParameter, ...groupParameters(content)];
	return {
		...operation,
		...facts,
		content,
		contentParameters,
		parameters: [
			...contentParameters,
			simplifyParameter,
			optionsParameter([
				maxConcurrency,
				maxTriesOption,
				requestIntervalOption,
				resendUnknownOption,
				sendOnceKeyOption,
				timeout,
			]),
		],
		readSettings: (context) => readRunSettings(context, maxConcurrency),
		orderKeyOf: ({ body }) => JSON.stringify([body.instance_guid, body.toId]),
		async read(context, itemIndex, credential) {
			const checked = validated(
				checkFields([toId], parameterSource(context, itemIndex)),
				readInstanceGuid(context, itemIndex, credential),
				await readGroup(context, itemIndex, content),
			);
			// Part of what n8n remembers of a message: see execution/once/names.ts.
			const { toId: recipient, ...others } = checked.body;
			const body = { ...others, toId: recipient };
			return {
				body,
				remarks: checked.remarks,
				timeout: numberOption(readOptions(context, itemIndex), timeout),
				simplify: isSimplified(context, itemIndex),
				sendOnceKey: readSendOnceKey(context, itemIndex),
				wording: wordingOf(credential.apiKey, body, facts),
			};
		},
		async perform(execution, credential, { simplify, ...request }) {
			const post = { ...request, path: operation.path };
			return { json: jsonOf(await postForEnvelope(execution, credential, post), simplify) };
		},
	};
}
