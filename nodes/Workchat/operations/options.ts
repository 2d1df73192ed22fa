import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import type { RunSettings } from '../execution/operation';
import { inputFailure } from '../service/failure/failure';
import type { Wording } from '../service/failure/wording';
import { COMES_OUT_EMPTY, rawParameter, readParameter } from './fields/nodeParameters';

/** The Options collection of an operation, in the order of the alphabet. */
export function optionsParameter(options: INodeProperties[]): INodeProperties {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		// Not by localeCompare, whose rules take longer to load than everything else of the package.
		options: options.toSorted((one, other) => (titleOf(one) < titleOf(other) ? -1 : 1)),
	};
}

/** In capitals or not, it stands at the same place. */
function titleOf({ displayName }: INodeProperties): string {
	return displayName.toLowerCase();
}

export function readOptions(context: IExecuteFunctions, itemIndex: number): IDataObject {
	return readParameter(context, 'options', itemIndex, {}) as IDataObject;
}

/** The value of a number option; its declaration gives the default and the bounds. */
export function numberOption(
	values: IDataObject,
	{ name, displayName, default: preset, typeOptions }: INodeProperties,
	wording?: Wording,
): number {
	const value = values[name] ?? preset;
	const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
	const { minValue = 0, maxValue = Infinity } = typeOptions ?? {};
	const isNumber = typeof number === 'number' && Number.isFinite(number);
	if (isNumber && number >= minValue && number <= maxValue) return number;
	const wanted = isNumber && number > maxValue ? `at most ${maxValue}` : `at least ${minValue}`;
	throw inputFailure(
		`The option '${displayName}' is not a number of ${wanted}`,
		"Correct the option under 'Options'.",
		wording,
	);
}

export function textOption(values: IDataObject, name: string): string {
	return String(values[name] ?? '');
}

/** A unit keeps its own capitals in a title. */
export function withUnit(name: string, unit: 'ms' | 'MB'): string {
	return `${name} (${unit})`;
}

/** Milliseconds; Node takes longer ones for 1 (https://nodejs.org/api/timers.html). */
const LONGEST_TIMER = 2_147_483_647;
/** More connections or tries than any service bears. */
const MOST = 10_000;

export function timeoutOption(preset: number): INodeProperties {
	return {
		displayName: withUnit('Timeout', 'ms'),
		name: 'timeout',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: LONGEST_TIMER },
		default: preset,
		description:
			'Longest time to wait for data: until the response begins, and whenever it pauses. A download may take longer as a whole.',
	};
}

export function maxConcurrencyOption(preset: number): INodeProperties {
	return {
		displayName: 'Max Concurrency',
		name: 'maxConcurrency',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: MOST },
		default: preset,
		description: 'How many items to process at the same time',
	};
}

export const maxTriesOption: INodeProperties = {
	displayName: 'Max Tries',
	name: 'maxTries',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: MOST },
	default: 3,
	description:
		'How often to try an item, counting the first try, if the service is busy or cannot be reached. A message that may have been sent is not tried again. The node waits longer before each new try, or as long as the service asks, up to a minute.',
};

export const requestIntervalOption: INodeProperties = {
	displayName: withUnit('Request Interval', 'ms'),
	name: 'requestInterval',
	type: 'number',
	typeOptions: { minValue: 0, maxValue: LONGEST_TIMER },
	default: 0,
	description: 'Shortest time from the start of one request to the start of the next',
};

export const dryRunOption: INodeProperties = {
	displayName: 'Dry Run',
	name: 'dryRun',
	type: 'boolean',
	default: false,
	description: 'Whether to check every item and send nothing',
};

/** In doubt it is on: an expression that comes out empty, or as a text, must not send. */
export function isDryRun(options: IDataObject): boolean {
	const { name } = dryRunOption;
	return name in options && options[name] !== false;
}

export const resendUnknownOption: INodeProperties = {
	displayName: 'Resend if Unknown',
	name: 'resendUnknown',
	type: 'boolean',
	default: false,
	description:
		'Whether to send a message again if it may have been sent already, such as after a timeout. The recipient may then get it twice.',
};

export const sendOnceKeyOption: INodeProperties = {
	displayName: 'Send Once Key',
	name: 'sendOnceKey',
	type: 'string',
	default: '',
	placeholder: 'e.g. spring-offer',
	description:
		'A name for this message, such as the name of the campaign. Each recipient gets only one message under this name, even if the workflow runs again. Two different messages need two names. Leave empty to send in every execution.',
};

/** The Send Once Key among the options of an item, if it has one. */
export function readSendOnceKey(
	context: IExecuteFunctions,
	options: IDataObject,
	wording: Wording,
): string | undefined {
	const { name, displayName } = sendOnceKeyOption;
	const value = options[name] ?? '';
	const isText = typeof value !== 'object';
	const key = isText ? String(value).trim() : '';
	if (key !== '') return key;
	// Whoever wrote anything there wanted a key: without one, all would get it again.
	const raw = rawSendOnceKey(context);
	if (raw === '') return undefined;
	const isExpression = typeof raw === 'string' && raw.startsWith('=');
	const problem = isText ? (isExpression ? COMES_OUT_EMPTY : 'is blank') : 'is no text';
	throw inputFailure(
		`${displayName} ${problem}`,
		"Nothing was sent for this item. Correct the option under 'Options'.",
		wording,
	);
}

/** As the user wrote it, which is the same for all items. */
function rawSendOnceKey(context: IExecuteFunctions): unknown {
	const raw = rawParameter(context, 'options') as IDataObject | null;
	return raw?.[sendOnceKeyOption.name] ?? '';
}

/** A run has the settings of its first item. */
export function readRunSettings(
	context: IExecuteFunctions,
	maxConcurrency: INodeProperties,
): RunSettings {
	const options = readOptions(context, 0);
	return {
		maxConcurrency: Math.floor(numberOption(options, maxConcurrency)),
		requestInterval: numberOption(options, requestIntervalOption),
		maxTries: numberOption(options, maxTriesOption),
		repeatsUnknown: options[resendUnknownOption.name] === true,
		sendOnceKey: String(rawSendOnceKey(context)),
		isDryRun: isDryRun(options),
	};
}
