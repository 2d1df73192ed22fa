import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import type { ItemRequest, Operation } from '../execution/operation';
import type { Credential } from '../service/credential';
import type { Envelope } from '../service/envelope';
import { secretsIn } from '../service/failure/secrets';
import type { Timeout } from '../service/http/http';
import { post, readEnvelope, type PostRequest } from '../service/workchat';
import {
	checkFields,
	failedCheck,
	mergeChecks,
	refuseProblems,
	type CheckedFields,
} from './fields/checkFields';
import { parameter, parameterOf, type Field, type FieldGroup } from './fields/field';
import { groupParameters, readGroup } from './fields/fieldGroup';
import { describeKeys } from './fields/findFields';
import { instanceGuidParameter, readInstanceGuid } from './fields/instanceGuid';
import { parameterSource, readParameter } from './fields/nodeParameters';
import {
	dryRunOption,
	isEnabled,
	longIdsOption,
	maxConcurrencyOption,
	maxTriesOption,
	numberOption,
	optionsParameter,
	readRunSettings,
	refuseOddOption,
	requestIntervalOption,
	timeoutOption,
} from './options';

/** An endpoint of the service, as a file of this folder declares it. */
export interface Endpoint {
	value: string;
	name: string;
	action: string;
	description: string;
	path: string;
	isRepeatable: boolean;
	/** Fields that are always entered one by one. */
	fields?: Field[];
	/** Fields that can also be entered as JSON, or come from the input item. */
	content?: FieldGroup;
	/** Beside those of the fields. */
	parameters?: INodeProperties[];
	/** Beside those of all operations. */
	options?: INodeProperties[];
	/** The default of Max Concurrency; 1 if missing. */
	maxConcurrency?: number;
	/** The default of Timeout; 30 seconds for the complete response if missing. */
	timeout?: Timeout;
}

/** An operation with its panel. */
export interface PanelOperation extends Operation {
	name: string;
	action: string;
	description: string;
	/** All fields of the request, without the instance. */
	fields: Field[];
	content?: FieldGroup;
	/** All parameters that are shown for this operation only. */
	parameters: INodeProperties[];
}

/** The request of an item, with what `download` needs beside it. */
export interface EnvelopeRequest extends ItemRequest {
	call: PostRequest;
	simplify: boolean;
	/** Values of the field group's companions that were found, such as a file name. */
	companions: unknown[];
	/** The Options of the item. Read only once, as they may have expressions. */
	options: IDataObject;
}

interface EnvelopeOperation extends PanelOperation {
	read: (...args: Parameters<PanelOperation['read']>) => Promise<EnvelopeRequest>;
}

const simplifyParameter = parameter('simplify', 'Simplify', false, {
	description: 'Whether to return a simplified version of the response instead of the raw data',
});

const DEFAULT_TIMEOUT: Timeout = { milliseconds: 30_000, covers: 'response' };

/** Creates an operation that posts its fields and outputs the envelope of the response. */
export function envelopeOperation(endpoint: Endpoint): EnvelopeOperation {
	const { path, isRepeatable, fields = [], content, parameters = [], options = [] } = endpoint;
	const allFields = [...fields, ...(content?.fields ?? [])];
	const concurrency = maxConcurrencyOption(endpoint.maxConcurrency ?? 1);
	const { timeout = DEFAULT_TIMEOUT } = endpoint;
	const timeoutParameter = timeoutOption(timeout);
	const contentParameters = [
		...fields.map(parameterOf),
		instanceGuidParameter,
		...(content ? groupParameters(content) : []),
	];
	const sharedOptions = [
		concurrency,
		dryRunOption,
		maxTriesOption,
		requestIntervalOption,
		timeoutParameter,
	];
	return {
		...endpoint,
		fields: allFields,
		contentParameters,
		parameters: [
			...contentParameters,
			...parameters,
			simplifyParameter,
			optionsParameter([...options, ...sharedOptions]),
		],
		readSettings: (context) => readRunSettings(context, concurrency),
		async read(context, itemIndex, credential) {
			const checked = await checkAllFields(context, itemIndex, credential, endpoint);
			const { body, companions = [] } = checked;
			const about = {
				isRepeatable,
				secrets: [credential.apiKey, ...secretsIn(body, allFields)],
				toId: body.toId?.toString(),
			};
			const values = readParameter(context, 'options', itemIndex, {}) as IDataObject;
			const refusesOdd = isEnabled(refuseOddOption, values);
			const acceptsTruncated = values[longIdsOption.name] === true;
			const notices = refuseProblems(checked, about, { refusesOdd, acceptsTruncated });
			const milliseconds = numberOption(values, timeoutParameter, about);
			const call = {
				context,
				credential,
				path,
				body,
				timeout: { ...timeout, milliseconds },
				about,
			};
			const simplify = readParameter(context, 'simplify', itemIndex, false) === true;
			const perform = async () => {
				const envelope = await readEnvelope(await post(call), about);
				return { json: envelopeToJson(envelope, simplify) };
			};
			return {
				body,
				about,
				call,
				companions,
				notices,
				options: values,
				simplify,
				isDryRun: isEnabled(dryRunOption, values),
				refusesOdd,
				perform,
			};
		},
	};
}

/** Reads and checks all fields of a request. */
async function checkAllFields(
	context: IExecuteFunctions,
	itemIndex: number,
	credential: Credential,
	{ fields = [], content }: Endpoint,
): Promise<CheckedFields> {
	const parts = [
		checkFields(fields, parameterSource(context, itemIndex)),
		readInstanceGuid(context, itemIndex, credential),
		...(content ? [await readGroup(context, itemIndex, content)] : []),
	];
	if (parts.some(({ hasEmptyExpression }) => hasEmptyExpression)) {
		// The name of a column may differ from the expression's, for example by an invisible character.
		const item = context.getInputData()[itemIndex]?.json;
		parts.push(failedCheck(describeKeys(item, 'the item')));
	}
	return mergeChecks(parts);
}

/** An item's json: the envelope, or its `data`. A value that n8n would not accept as json is wrapped. */
export function envelopeToJson(envelope: Envelope, simplify: boolean): IDataObject {
	if (!simplify) return '$error' in envelope ? { envelope } : envelope;
	const data = envelope.data ?? {};
	// n8n treats an item with an `error` or `$error` as failed (n8n-core 2.41, workflow-execute).
	const looksFailed = Object.keys(data).some((key) => /^\$?error$/.test(key));
	const isJson = typeof data === 'object' && !Array.isArray(data) && !looksFailed;
	return isJson ? (data as IDataObject) : { data };
}
