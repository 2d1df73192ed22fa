import type { IDataObject, INodeProperties } from 'n8n-workflow';

import type { ItemRequest, Operation } from '../execution/operation';
import type { Envelope } from '../service/envelope';
import { secretsIn } from '../service/failure/secrets';
import { envelopeOf, post, type Post } from '../service/workchat';
import { checkFields, refused, validated } from './fields/checkFields';
import { parameter, parameterOf, type Field, type FieldGroup } from './fields/field';
import { groupParameters, readGroup } from './fields/fieldGroup';
import { whatIsIn } from './fields/findFields';
import { instanceGuidParameter, readInstanceGuid } from './fields/instanceGuid';
import { parameterSource, readParameter } from './fields/nodeParameters';
import {
	dryRunOption,
	isOn,
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

export interface EnvelopeRequest extends ItemRequest, Post {
	simplify: boolean;
	/** What stood beside the fields. */
	beside: unknown[];
	/** The Options of the item, read once: they may hold expressions. */
	options: IDataObject;
}

const simplifyParameter = parameter('simplify', 'Simplify', false, {
	description: 'Whether to return a simplified version of the response instead of the raw data',
});

/** The envelope as an item's json, or only its `data`: under that name where it is no object. */
export function jsonOf(envelope: Envelope, simplify: boolean): IDataObject {
	if (!simplify) return '$error' in envelope ? { envelope } : envelope;
	const data = envelope.data ?? {};
	// n8n takes an item with an `error` or `$error` for failed (n8n-core 2.41, workflow-execute).
	const looksFailed = Object.keys(data).some((key) => /^\$?error$/.test(key));
	const isJson = typeof data === 'object' && !Array.isArray(data) && !looksFailed;
	return isJson ? (data as IDataObject) : { data };
}

/** An operation as the panel offers it. */
export interface PanelOperation extends Operation {
	name: string;
	action: string;
	description: string;
	/** The request's fields, beside the instance. */
	fields: Field[];
	content?: FieldGroup;
	/** Shown for this operation only. */
	parameters: INodeProperties[];
}

type Facts = 'value' | 'name' | 'action' | 'description' | 'path' | 'isRepeatable' | 'content';
type Further = Partial<Pick<PanelOperation, 'fields' | 'parameters'>>;

/** An endpoint of the service: with fields, parameters and options that only this one has. */
export interface Endpoint extends Pick<PanelOperation, Facts>, Further {
	options?: INodeProperties[];
	/** Preset of Max Concurrency; 1 without it. */
	maxConcurrency?: number;
	/** Preset of Timeout, in milliseconds; 30 seconds without it. */
	timeout?: number;
}

/** Puts out the envelope that the service answers with. */
interface EnvelopeOperation extends PanelOperation {
	read: (...of: Parameters<PanelOperation['read']>) => Promise<EnvelopeRequest>;
}

export function envelopeOperation(endpoint: Endpoint): EnvelopeOperation {
	const { path, isRepeatable, fields = [], content, parameters = [], options: own = [] } = endpoint;
	const allFields = [...fields, ...(content?.fields ?? [])];
	const concurrency = maxConcurrencyOption(endpoint.maxConcurrency ?? 1);
	const timeout = timeoutOption(endpoint.timeout ?? 30_000);
	const contentParameters = [
		...fields.map(parameterOf),
		instanceGuidParameter,
		...(content ? groupParameters(content) : []),
	];
	const ofAll = [concurrency, dryRunOption, maxTriesOption, requestIntervalOption, timeout];
	return {
		...endpoint,
		fields: allFields,
		contentParameters,
		parameters: [
			...contentParameters,
			...parameters,
			simplifyParameter,
			optionsParameter([...own, ...ofAll]),
		],
		readSettings: (context) => readRunSettings(context, concurrency),
		async read(context, itemIndex, credential) {
			const aboutOf = (sent: IDataObject) => ({
				isRepeatable,
				secrets: [credential.apiKey, ...secretsIn(sent, allFields)],
				toId: sent.toId?.toString(),
			});
			const parts = [
				checkFields(fields, parameterSource(context, itemIndex)),
				readInstanceGuid(context, itemIndex, credential),
				...(content ? [await readGroup(context, itemIndex, content)] : []),
			];
			// Lists the item's keys: a column's name may differ by an invisible character.
			if (parts.some(({ isEmptied }) => isEmptied)) {
				parts.push(refused(whatIsIn(context.getInputData()[itemIndex]?.json, 'the item')));
			}
			const options = readParameter(context, 'options', itemIndex, {}) as IDataObject;
			const refusesOdd = isOn(refuseOddOption, options);
			if (options[longIdsOption.name] === true) {
				for (const part of parts) part.remarks = part.remarks.filter(({ isOfCut }) => !isOfCut);
			}
			const { body, remarks } = validated(parts, aboutOf, refusesOdd);
			const about = aboutOf(body);
			const request = {
				context,
				credential,
				path,
				body,
				beside: parts.flatMap(({ beside = [] }) => beside),
				remarks,
				options,
				timeout: numberOption(options, timeout, about),
				simplify: readParameter(context, 'simplify', itemIndex, false) === true,
				isDryRun: isOn(dryRunOption, options),
				refusesOdd,
				about,
			};
			const perform = async () => {
				const envelope = await envelopeOf(await post(request), about);
				return { json: jsonOf(envelope, request.simplify) };
			};
			return { ...request, perform };
		},
	};
}
