import type { IDataObject, INodeProperties } from 'n8n-workflow';

import type { ItemRequest, Operation } from '../execution/operation';
import type { Envelope } from '../service/envelope';
import { postForEnvelope, wordingOf, type Post } from '../service/workchat';
import { checkFields, validated } from './fields/checkFields';
import { parameterOf, type Field, type FieldGroup } from './fields/field';
import { groupParameters, readGroup } from './fields/fieldGroup';
import { instanceGuidParameter, readInstanceGuid } from './fields/instanceGuid';
import { parameterSource, readParameter } from './fields/nodeParameters';
import {
	dryRunOption,
	isDryRun,
	maxConcurrencyOption,
	maxTriesOption,
	numberOption,
	optionsParameter,
	readOptions,
	readRunSettings,
	requestIntervalOption,
	timeoutOption,
} from './options';

export interface EnvelopeRequest extends ItemRequest, Post {
	simplify: boolean;
	/** The Options of the item, read once: they may hold expressions. */
	options: IDataObject;
}

const simplifyParameter: INodeProperties = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: false,
	description: 'Whether to return a simplified version of the response instead of the raw data',
};

/** The envelope as an item's json, or only its `data`: under that name where it is no object. */
export function jsonOf(envelope: Envelope, simplify: boolean): IDataObject {
	if (!simplify) return '$error' in envelope ? { envelope } : envelope;
	const data = envelope.data ?? {};
	// n8n takes an item with an `error` or `$error` for failed (n8n-core 2.41, workflow-execute).
	const looksFailed = Object.keys(data).some((key) => /^\$?error$/.test(key));
	const isJson = typeof data === 'object' && !Array.isArray(data) && !looksFailed;
	return isJson ? (data as IDataObject) : { data };
}

/** An endpoint of the service, with what only this one has. */
export interface Endpoint
	extends Pick<
		Operation,
		'value' | 'name' | 'action' | 'description' | 'path' | 'isRepeatable' | 'orderKeyOf'
	> {
	/** Fields with a parameter each. */
	fields?: Field[];
	/** Fields that can also be given together. */
	content?: FieldGroup;
	/** Further parameters, between the fields and Simplify. */
	parameters?: INodeProperties[];
	/** Further options. */
	options?: INodeProperties[];
	/** Who gets the message, as far as the fields tell. */
	recipientOf?(body: IDataObject): string | undefined;
	/** Preset of Max Concurrency. */
	maxConcurrency?: number;
	/** Preset of Timeout, in milliseconds. */
	timeout?: number;
}

/** An operation that sends fields, and puts out the envelope that the service answers with. */
export function envelopeOperation({
	fields: single = [],
	parameters = [],
	options = [],
	maxConcurrency = 1,
	timeout = 30_000,
	...endpoint
}: Endpoint): Operation<EnvelopeRequest> {
	const { content, path, isRepeatable, recipientOf } = endpoint;
	const fields = [...single, ...(content?.fields ?? [])];
	const concurrencyOption = maxConcurrencyOption(maxConcurrency);
	const waitOption = timeoutOption(timeout);
	const contentParameters = [
		...single.map(parameterOf),
		instanceGuidParameter,
		...(content ? groupParameters(content) : []),
	];
	return {
		...endpoint,
		fields,
		contentParameters,
		parameters: [
			...contentParameters,
			...parameters,
			simplifyParameter,
			optionsParameter([
				...options,
				concurrencyOption,
				dryRunOption,
				maxTriesOption,
				requestIntervalOption,
				waitOption,
			]),
		],
		readSettings: (context) => readRunSettings(context, concurrencyOption),
		async read(context, itemIndex, credential) {
			const parts = [
				checkFields(single, parameterSource(context, itemIndex)),
				readInstanceGuid(context, itemIndex, credential),
				...(content ? [readGroup(context, itemIndex, content)] : []),
			];
			const wordingFor = (sent: IDataObject) =>
				wordingOf(credential.apiKey, sent, {
					isRepeatable,
					fields,
					recipient: recipientOf?.(sent),
				});
			const { body, remarks } = validated(parts, wordingFor);
			const wording = wordingFor(body);
			const values = readOptions(context, itemIndex);
			return {
				path,
				body,
				remarks,
				options: values,
				timeout: numberOption(values, waitOption, wording),
				simplify: readParameter(context, 'simplify', itemIndex, false) === true,
				isDryRun: isDryRun(values),
				wording,
				recipient: wording.toId,
			};
		},
		async perform(context, credential, request) {
			return {
				json: jsonOf(await postForEnvelope(context, credential, request), request.simplify),
			};
		},
	};
}
