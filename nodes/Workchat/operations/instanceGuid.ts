import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import type { Connection } from '../service/credential';
import { checkField, type CheckedFields } from './checkFields';

export const instanceGuidParameter: INodeProperties = {
	displayName: 'Instance GUID',
	name: 'instanceGuid',
	type: 'string',
	default: '',
	placeholder: 'e.g. 00000000-0000-0000-0000-000000000000',
	description:
		'ID of the online instance to use. You get it in the Workchat console by scanning the QR code that brings an instance online. Leave empty to use the default instance of the credential.',
};

/** The request field `instance_guid`: the parameter, or the credential's default instance. */
export function readInstanceGuid(
	context: IExecuteFunctions,
	itemIndex: number,
	{ credential }: Connection,
): CheckedFields {
	const { name, displayName } = instanceGuidParameter;
	const value: unknown = context.getNodeParameter(name, itemIndex, '');
	if (value !== '' && value !== undefined && value !== null) {
		return instanceGuid(value, `${displayName} is not an ID`);
	}
	// An expression that finds nothing must not send through some other instance.
	const raw: unknown = context.getNodeParameter(name, itemIndex, '', { rawExpressions: true });
	if (typeof raw === 'string' && raw.startsWith('=')) {
		return { body: {}, problems: [`${displayName} comes out empty: check its expression`] };
	}
	return instanceGuid(
		credential.defaultInstanceGuid,
		`${displayName} is missing: enter it here, or a default instance in the Workchat credential`,
	);
}

function instanceGuid(value: unknown, problem: string): CheckedFields {
	const checked = checkField({ type: 'text' }, value);
	return typeof checked === 'object'
		? { body: {}, problems: [problem] }
		: { body: { instance_guid: checked }, problems: [] };
}
