import type { IExecuteFunctions } from 'n8n-workflow';

import { Journal } from './journal';

/** By workflow and node. */
const journals = new Map<string, Journal>();

/** The journal of a node, which all its executions in this process share. */
export function journalOf(context: IExecuteFunctions): Journal {
	const id = `${context.getWorkflow().id} ${context.getNode().id}`;
	const journal = journals.get(id) ?? new Journal();
	journals.set(id, journal);
	// These alone, as the others hold all data of the execution (n8n-core 2.41.1, execute-context).
	const { checkProcessedAndRecord, removeProcessed, getProcessedDataCount } = context.helpers;
	journal.row.helpers = { checkProcessedAndRecord, removeProcessed, getProcessedDataCount };
	return journal;
}
