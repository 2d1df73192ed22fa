import type { IDataObject } from 'n8n-workflow';

import type { Operation } from '../execution/operation';
import { findFields } from './fields/findFields';

/** What was posted, as n8n reads it. */
export interface Callback extends IDataObject {
	body: IDataObject;
	headers: IDataObject;
	query: IDataObject;
}

/**
 * The callback once for each such content in its body, which is then beside it. They are looked for
 * as an operation looks for its fields; equal ones are one, as nobody means to handle one twice.
 */
export async function withContents(
	callback: Callback,
	{ name, fields }: NonNullable<Operation['content']>,
): Promise<IDataObject[]> {
	const names = fields.map((field) => field.name);
	const { complete } = await findFields(names, callback.body);
	const contents = complete.map((found) =>
		JSON.stringify(Object.fromEntries(names.map((field) => [field, found.valueOf(field)]))),
	);
	return [...new Set(contents)].map((content) => ({
		...callback,
		[name]: JSON.parse(content) as IDataObject,
	}));
}
