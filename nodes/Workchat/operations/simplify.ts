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

/** The envelope as an item's json, or only its `data`. Items are objects: other data stands under that name. */
export function jsonOf(envelope: Envelope, simplify: boolean): IDataObject {
	if (!simplify) return envelope;
	const { data } = envelope;
	if (data === undefined || data === null) return {};
	return typeof data === 'object' && !Array.isArray(data) ? (data as IDataObject) : { data };
}
