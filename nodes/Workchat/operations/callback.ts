import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import type { Operation } from '../execution/operation';
import { textOf } from '../service/text/textKind';
import { findFields } from './fields/findFields';

/** What was posted. */
export interface Callback extends IDataObject {
	body: IDataObject | string;
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
	const { complete } = await findFields(fields, callback.body);
	const contents = complete.map((found) =>
		JSON.stringify(
			Object.fromEntries(fields.map((field) => [field.name, found.valueOf(field.name)])),
		),
	);
	return [...new Set(contents)].map((content) => ({
		...callback,
		[name]: JSON.parse(content) as IDataObject,
	}));
}

const FORM = 'application/x-www-form-urlencoded';

/**
 * What was posted, whatever its content type says: an object or a list if it is JSON, else text. n8n
 * reads JSON, XML, forms and plain text (2.41, webhook-helpers.js: parseRequestBody). As a form, it
 * makes one key of the JSON that curl posts by default.
 */
export async function bodyOf(context: IWebhookFunctions): Promise<Callback['body']> {
	const parsed: unknown = context.getBodyData();
	const request = context.getRequestObject();
	if (isFilled(parsed) && request.contentType !== FORM) return parsed;
	await request.readRawBody();
	const { rawBody = Buffer.alloc(0), encoding } = request;
	const text = textIn(rawBody, encoding);
	const json = jsonOf(text);
	if (json || !isFilled(parsed)) return json ?? (text === '' ? {} : text);
	const [key = '', ...others] = Object.keys(parsed);
	return (others.length === 0 && parsed[key] === '' && jsonOf(key)) || parsed;
}

/** Of a charset that Node does not know, as of none. */
function textIn(bytes: Buffer, charset: string | undefined): string {
	try {
		return textOf(bytes, charset);
	} catch {
		return textOf(bytes);
	}
}

function isFilled(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

/** An object or a list; a bare number would lose digits. */
function jsonOf(text: string): IDataObject | undefined {
	try {
		const value: unknown = JSON.parse(text);
		return typeof value === 'object' && value !== null ? (value as IDataObject) : undefined;
	} catch {
		return undefined;
	}
}
