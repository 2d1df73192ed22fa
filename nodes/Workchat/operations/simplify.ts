import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import type { Envelope } from '../service/response/envelope';
import { readParameter } from './fields/nodeParameters';

export const simplifyParameter: INodeProperties = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: false,
	description: 'Whether to return a simplified version of the response instead of the raw data',
};

export function isSimplified(context: IExecuteFunctions, itemIndex: number): boolean {
	return readParameter(context, 'simplify', itemIndex, false) === true;
}

/**
 * The envelope as an item's json, or only its `data`. What n8n cannot take for the json of an item
 * that succeeded stands under a name of its own.
 */
export function jsonOf(envelope: Envelope, simplify: boolean): IDataObject {
	if (!simplify) return '$error' in envelope ? { envelope } : envelope;
	const { data } = envelope;
	if (data === undefined || data === null) return {};
	return isItemJson(data) ? data : { data };
}

/**
 * Items are objects. n8n takes one with an `error` for failed, and ends the execution over one with
 * `$error` and `$json` (n8n-core 2.41, workflow-execute: normalizeNodeErrors).
 */
function isItemJson(data: unknown): data is IDataObject {
	const isObject = typeof data === 'object' && data !== null && !Array.isArray(data);
	return isObject && !('error' in data) && !('$error' in data);
}
