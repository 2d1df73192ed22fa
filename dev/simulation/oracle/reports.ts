import type { INodeExecutionData } from 'n8n-workflow';

import type { Outcome } from '../answers';
import type { Report, Thrown } from './observed';

/** Reads what the node put out and threw, as those do who use it. */

const LONGEST_TEXT = 300;

export function reportsOf(items: INodeExecutionData[]): Report[] {
	return items.map((item) => {
		const json = JSON.stringify(item.json);
		return {
			input: pairedWith(item),
			outcome: outcomeOf(item),
			text: json.slice(0, LONGEST_TEXT),
			length: json.length,
		};
	});
}

function pairedWith({ pairedItem }: INodeExecutionData): number {
	return typeof pairedItem === 'object' && 'item' in pairedItem ? pairedItem.item : NaN;
}

function outcomeOf({ json, error }: INodeExecutionData): Report['outcome'] {
	const failure = json.error as { outcome?: Outcome } | undefined;
	if (typeof failure?.outcome === 'string') {
		return Object.keys(json).length === 1 ? failure.outcome : 'garbled';
	}
	if (error || failure !== undefined) return 'garbled';
	if (json.dryRun === true) return 'dry';
	return json.skipped === true ? 'skipped' : 'sent';
}

/** As a node throws it. */
export interface RawError {
	name: string;
	message: string;
	description?: string;
	context?: { itemIndex?: number };
	errorResponse?: { outcome?: Outcome };
}

/** Of what n8n's memory did not tell, nothing says it in one word. */
const IN_DOUBT = /may or may not have been sent|may have noted it/;

export function thrownBy({ name, message, description, context, errorResponse }: RawError): Thrown {
	const inWords = IN_DOUBT.test(`${message} ${description}`) ? 'unknown' : 'notSent';
	const outcome = errorResponse?.outcome ?? (name === 'NodeOperationError' ? inWords : undefined);
	return { name, message, description, input: context?.itemIndex, outcome };
}
