import type { INodeExecutionData, IRun } from 'n8n-workflow';

import type { Engine } from '../engine/engine';
import type { Case } from './case';
import type { Report, Thrown } from './observed';
import { secretsIn } from './secrets';
import type { Outcome } from './step';
import { NODE } from './workflow';

const LONGEST_TEXT = 300;

/** What n8n says of a run that ended. */
export async function readRun({ status, data }: IRun, given: Case, engine: Engine) {
	const { error, runData } = data.resultData;
	const tasks = runData[NODE] ?? [];
	const rounds = given.kind === 'tool' ? tasks : tasks.slice(-1);
	const reports: Report[] = [];
	for (const [round, { data: put, error: failure }] of rounds.entries()) {
		if (failure && given.kind === 'tool' && put) {
			// An agent tells its model this error; the engine alone passes the input on instead.
			const { outcome = 'garbled', message } = thrownBy(failure as unknown as RawError);
			const output = given.onError === 'continueErrorOutput' ? 1 : 0;
			reports.push({ input: round, outcome, output, text: message, length: message.length });
			continue;
		}
		for (const [output, items] of (put?.main ?? []).entries()) {
			for (const item of items ?? []) {
				const input = given.kind === 'tool' ? round : pairedWith(item);
				const outcome = outcomeOf(item, output, given);
				const json = JSON.stringify(item.json);
				const text = json.slice(0, LONGEST_TEXT);
				const file = await fileIn(item, input, given, engine);
				reports.push({ input, outcome, output, text, length: json.length, ...file });
			}
		}
	}
	const saved = {
		error,
		stack: error?.stack,
		tasks: tasks.map((task) => ({ ...task, data: ownWords(task.data?.main) })),
		context: data.executionData?.contextData[`node:${NODE}`],
		metadata: data.resultData.metadata,
	};
	const continued = given.kind === 'tool' ? undefined : rounds.at(-1)?.error;
	const raw = (error ?? continued) as unknown as RawError | undefined;
	const thrown = raw && thrownBy(raw);
	return {
		status,
		reports,
		told: secretsIn(JSON.stringify(saved)),
		...(thrown && { thrown }),
	};
}

/** What the node itself says: the envelope beside a file may hold its link, and n8n adds the input. */
function ownWords(outputs: Array<INodeExecutionData[] | null> = []) {
	const withoutInput = (item: INodeExecutionData) => ({
		...item,
		json: { ...item.json, body: undefined },
	});
	return outputs.map((items) => items?.filter(({ binary }) => !binary).map(withoutInput));
}

function pairedWith({ pairedItem }: INodeExecutionData): number {
	return typeof pairedItem === 'object' && 'item' in pairedItem ? pairedItem.item : NaN;
}

function outcomeOf(
	{ json, error }: INodeExecutionData,
	output: number,
	given: Case,
): Report['outcome'] {
	const failure = json.error as { outcome?: Outcome } | string | undefined;
	if (given.kind === 'tool' && typeof failure === 'string' && typeof json.outcome === 'string') {
		return json.outcome as Outcome;
	}
	if (typeof failure === 'object' && failure !== null && typeof failure.outcome === 'string') {
		// On the error output, n8n adds the input.
		return output === 1 || Object.keys(json).length === 1 ? failure.outcome : 'garbled';
	}
	const looksFailed = Object.keys(json).every((key) =>
		['error', 'message', 'details'].includes(key),
	);
	return error || output === 1 || (json.error && looksFailed) ? 'garbled' : 'sent';
}

async function fileIn({ binary }: INodeExecutionData, input: number, given: Case, engine: Engine) {
	if (!binary?.data) return {};
	const content = given.items[given.inputs[input] ?? NaN]?.content;
	const bytes = await engine.bytesOf(binary.data);
	return { isFile: content !== undefined && bytes.equals(content) };
}

interface RawError {
	name: string;
	message: string;
	description?: string;
	context?: { itemIndex?: number };
	errorResponse?: { outcome?: Outcome };
}

function thrownBy({ name, message, description, context, errorResponse }: RawError): Thrown {
	const outcome = errorResponse?.outcome ?? (name === 'NodeOperationError' ? 'notSent' : undefined);
	return { name, message, description, input: context?.itemIndex, outcome };
}
