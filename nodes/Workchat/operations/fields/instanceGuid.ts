import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import type { Credential } from '../../service/credential';
import { checkFields, isBlank, type CheckedFields } from './checkFields';
import { COMES_OUT_EMPTY, isExpression, readParameter } from './nodeParameters';

export const instanceGuidParameter: INodeProperties = {
	displayName: 'Instance GUID',
	name: 'instanceGuid',
	type: 'string',
	default: '',
	placeholder: 'e.g. 00000000-0000-0000-0000-000000000000',
	hint: "Leave empty for the credential's default",
	description:
		'ID of the online instance to use. You get it in the Workchat console by scanning the QR code that brings an instance online.',
};

/** The request field `instance_guid`: the parameter, or the credential's default instance. */
export function readInstanceGuid(
	context: IExecuteFunctions,
	itemIndex: number,
	credential: Credential,
): CheckedFields {
	const { name, displayName } = instanceGuidParameter;
	const given = readParameter(context, name, itemIndex, '');
	// An expression that finds nothing must not send through some other instance.
	const isOwn = !isBlank(given) || isExpression(context, name);
	return checkFields([{ name: 'instance_guid', label: displayName, type: 'id' }], {
		valueOf: () => (isOwn ? given : credential.defaultInstanceGuid),
		nameOf: ({ label }) => label,
		whyEmpty: () =>
			isOwn
				? COMES_OUT_EMPTY
				: 'is missing: enter it here, or a default instance in the Workchat credential',
	});
}
