import type { IDataObject } from 'n8n-workflow';

import type { Operation } from '../execution/operation';
import { findAll } from './findFields';

/** What was posted, as n8n reads it. */
export interface Callback extends IDataObject {
	body: IDataObject;
	headers: IDataObject;
	query: IDataObject;
}

/** The callback once for each such content in its body, which is then beside it. */
export async function withContents(
	callback: Callback,
	{ name, fields }: NonNullable<Operation['content']>,
): Promise<IDataObject[]> {
	const names = fields.map((field) => field.name);
	return (await findAll(names, callback.body)).map((found) => ({
		...callback,
		[name]: Object.fromEntries(names.map((field) => [field, found.valueOf(field)])) as IDataObject,
	}));
}
