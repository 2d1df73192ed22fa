import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import type { Envelope } from '../service/envelope';

export const simplifyParameter: INodeProperties = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: false,
	description: 'Whether to return a simplified version of the response instead of the raw data',
};

export function isSimplified(context: IExecuteFunctions, itemIndex: number): boolean {
	return context.getNodeParameter('simplify', itemIndex, false) === true;
}

/**
 * The envelope as an item's json, or only its `data`. Items are objects, and n8n takes those with an
 * `error` for failed: other data stands under the name `data`.
 */
export function jsonOf(envelope: Envelope, simplify: boolean): IDataObject {
	if (!simplify) return envelope;
	const { data } = envelope;
	if (data === undefined || data === null) return {};
	const isItem = typeof data === 'object' && !Array.isArray(data) && !('error' in data);
	return isItem ? (data as IDataObject) : { data };
}
