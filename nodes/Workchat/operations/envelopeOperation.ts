import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import type { ItemRequest, Operation } from '../execution/operation';
import type { Credential } from '../service/credential';
import type { Envelope } from '../service/envelope';
import { secretsIn } from '../service/failure/secrets';
import type { Timeout } from '../service/http/http';
import { post, readEnvelope, type PostRequest } from '../service/workchat';
import { checkFields, combineChecks, failedCheck, type CheckedFields } from './fields/checkFields';
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

export interface EnvelopeRequest extends ItemRequest {
	call: PostRequest;
	simplify: boolean;
	/** Values of the field group's companions that were found. */
	companions: unknown[];
	/** The Options of the item. Read only once, as they may have expressions. */
	options: IDataObject;
}

const simplifyParameter = parameter('simplify', 'Simplify', false, {
	description: 'Whether to return a simplified version of the response instead of the raw data',
});

/** An item's json: the envelope, or its `data`. A value that n8n would not accept as json is wrapped. */
export function envelopeToJson(envelope: Envelope, simplify: boolean): IDataObject {
	if (!simplify) return '$error' in envelope ? { envelope } : envelope;
	const data = envelope.data ?? {};
	// n8n treats an item with an `error` or `$error` as failed (n8n-core 2.41, workflow-execute).
	const looksFailed = Object.keys(data).some((key) => /^\$?error$/.test(key));
	const isJson = typeof data === 'object' && !Array.isArray(data) && !looksFailed;
	return isJson ? (data as IDataObject) : { data };
}

/** An operation with its panel. */
export interface PanelOperation extends Operation {
	name: string;
	action: string;
	description: string;
	/** The fields of the request, without the instance. */
	fields: Field[];
	content?: FieldGroup;
	/** Shown for this operation only. */
	parameters: INodeProperties[];
}

type Declared = 'value' | 'name' | 'action' | 'description' | 'path' | 'isRepeatable' | 'content';

/** An endpoint of the service. Its `content` can also be entered as JSON, or come from the input item. */
export interface Endpoint extends Pick<PanelOperation, Declared> {
	/** Fields that are always entered one by one. */
	fields?: Field[];
	/** Beside those of the fields. */
	parameters?: INodeProperties[];
	/** Beside those of all operations. */
	options?: INodeProperties[];
	/** The default of Max Concurrency; 1 if missing. */
	maxConcurrency?: number;
	/** The default of Timeout; 30 seconds for the complete response if missing. */
	timeout?: Timeout;
}

const DEFAULT_TIMEOUT: Timeout = { milliseconds: 30_000, covers: 'response' };

interface EnvelopeOperation extends PanelOperation {
	read: (...args: Parameters<PanelOperation['read']>) => Promise<EnvelopeRequest>;
}

/** Reads and checks the parts of a request. */
async function checkParts(
	context: IExecuteFunctions,
	itemIndex: number,
	credential: Credential,
	{ fields = [], content }: Endpoint,
): Promise<CheckedFields[]> {
	const parts = [
		checkFields(fields, parameterSource(context, itemIndex)),
		readInstanceGuid(context, itemIndex, credential),
		...(content ? [await readGroup(context, itemIndex, content)] : []),
	];
	if (parts.every(({ hasEmptyExpression }) => !hasEmptyExpression)) return parts;
	// The name of a column may differ from the expression's, for example by an invisible character.
	const item = context.getInputData()[itemIndex]?.json;
	return [...parts, failedCheck(describeKeys(item, 'the item'))];
}

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
			const aboutOf = (body: IDataObject) => ({
				isRepeatable,
				secrets: [credential.apiKey, ...secretsIn(body, allFields)],
				toId: body.toId?.toString(),
			});
			const parts = await checkParts(context, itemIndex, credential, endpoint);
			const optionValues = readParameter(context, 'options', itemIndex, {}) as IDataObject;
			const refusesOdd = isEnabled(refuseOddOption, optionValues);
			const { body, about, notices } = combineChecks(parts, aboutOf, {
				refusesOdd,
				acceptsTruncated: optionValues[longIdsOption.name] === true,
			});
			const milliseconds = numberOption(optionValues, timeoutParameter, about);
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
				companions: parts.flatMap(({ companions = [] }) => companions),
				notices,
				options: optionValues,
				simplify,
				isDryRun: isEnabled(dryRunOption, optionValues),
				refusesOdd,
				perform,
			};
		},
	};
}
