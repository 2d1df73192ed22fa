import type { IBinaryData, INodeExecutionData } from 'n8n-workflow';

import type { Plan } from '../plan';
import type { Outcome } from '../service/step';
import type { Report, Thrown } from './observed';

/** Reads what the node put out and threw, as those do who use it. */

const LONGEST_TEXT = 300;

/**
 * @param bytesOf reads a file that n8n keeps
 * @param call as a tool: its number, as each is a run of the node
 */
export async function reportsOf(
	plan: Plan,
	outputs: Array<INodeExecutionData[] | null>,
	bytesOf: (binary: IBinaryData) => Promise<Buffer>,
	call?: number,
): Promise<Report[]> {
	const reports: Report[] = [];
	for (const [output, items] of outputs.entries()) {
		for (const item of items ?? []) {
			const input = call ?? pairedWith(item);
			const json = JSON.stringify(item.json);
			const content = plan.items[plan.inputs[input] ?? NaN]?.content;
			const file = item.binary?.data && (await bytesOf(item.binary.data));
			reports.push({
				input,
				outcome: outcomeOf(item, output, plan),
				output,
				text: json.slice(0, LONGEST_TEXT),
				length: json.length,
				...(file && { isFile: content !== undefined && file.equals(content) }),
			});
		}
	}
	return reports;
}

function pairedWith({ pairedItem }: INodeExecutionData): number {
	return typeof pairedItem === 'object' && 'item' in pairedItem ? pairedItem.item : NaN;
}

function outcomeOf(
	{ json, error }: INodeExecutionData,
	output: number,
	{ kind }: Plan,
): Report['outcome'] {
	const failure = json.error as { outcome?: Outcome } | string | undefined;
	if (kind === 'tool' && typeof failure === 'string' && typeof json.outcome === 'string') {
		return json.outcome as Outcome;
	}
	if (typeof failure === 'object' && failure !== null && typeof failure.outcome === 'string') {
		// On the error output, n8n adds the input.
		return output === 1 || Object.keys(json).length === 1 ? failure.outcome : 'garbled';
	}
	const looksFailed = Object.keys(json).every((key) =>
		['error', 'message', 'details'].includes(key),
	);
	if (error || output === 1 || (json.error && looksFailed)) return 'garbled';
	if (json.dryRun === true) return 'dry';
	return json.skipped === true ? 'skipped' : 'sent';
}

/** As a node throws it, or n8n saves it. */
export interface RawError {
	name: string;
	message: string;
	description?: string;
	context?: { itemIndex?: number };
	errorResponse?: { outcome?: Outcome };
}

/** Of what n8n's memory did not tell, nothing says it in one word. */
const IN_DOUBT = /may or may not have been sent|may have noted it|Another retry of .* sent this/;

export function thrownBy({ name, message, description, context, errorResponse }: RawError): Thrown {
	const inWords = IN_DOUBT.test(`${message} ${description}`) ? 'unknown' : 'notSent';
	const outcome = errorResponse?.outcome ?? (name === 'NodeOperationError' ? inWords : undefined);
	return { name, message, description, input: context?.itemIndex, outcome };
}
