import type { IDataObject } from 'n8n-workflow';

import type { Body } from './body';
import { Breather } from '../breather';
import { excessOf } from '../text/jsonText';
import { isJsonObject, textOf } from '../text/textKind';

/** What the service answers with, success or failure. */
export interface Envelope extends IDataObject {
	ok?: boolean;
	/** 0 means success, any other value is a failure. */
	code: number;
	message?: string;
	/** Documented as a text that begins with `svc_`; {@link requestIdOf} reads it. */
	request_id?: IDataObject[string];
	/** The operation's payload; its shape is not documented. */
	data?: IDataObject[string];
}

/** What a body says, as far as it can be read. */
export interface ReadBody {
	/** None where it is too long to be looked at. */
	content?: Buffer | undefined;
	/** The JSON object in it. */
	json?: IDataObject;
	/** The same, where it is an envelope. */
	envelope?: Envelope;
}

/** Bytes of JSON that are read where no file is due. */
const LONGEST_ANSWER = 16e6;

/** Reads a body that is no file, to its end only where it is JSON. */
export async function readBody(body: Body): Promise<ReadBody> {
	const { content, isWhole } = await body.read(isJsonObject(body.first) ? LONGEST_ANSWER : 0);
	return isWhole ? await parseBody(content) : { content };
}

/** Reads what is there as a whole. */
export async function parseBody(content: Buffer): Promise<ReadBody> {
	const breather = new Breather();
	try {
		const text = textOf(content);
		if (breather.isDue()) await breather.breathe();
		if (await excessOf(text)) return { content };
		const json = JSON.parse(text) as IDataObject | null;
		if (breather.isDue()) await breather.breathe();
		if (typeof json !== 'object' || json === null || Array.isArray(json)) return { content };
		if (isInexact(json.request_id)) json.request_id = exactRequestId(text, json.request_id);
		return isEnvelope(json) ? { content, json, envelope: json } : { content, json };
	} catch {
		return { content };
	}
}

function isEnvelope(json: IDataObject): json is Envelope {
	return Number.isInteger(json.code);
}

function isInexact(value: unknown): value is number {
	return typeof value === 'number' && !Number.isSafeInteger(value);
}

/** As it stands in the text: JSON.parse rounds numbers beyond 2^53. */
function exactRequestId(text: string, rounded: number): string {
	const written = [...text.matchAll(/"request_id"\s*:\s*(-?\d+)/g)].map(
		([, digits = '']) => digits,
	);
	return written.find((digits) => Number(digits) === rounded) ?? String(rounded);
}

export function succeeded(envelope: Envelope): boolean {
	return envelope.code === 0 && (envelope.ok === undefined || envelope.ok === true);
}

/** Whether its code says one thing, and `ok` another. */
export function contradictsItself(envelope: Envelope | undefined): boolean {
	if (!envelope) return false;
	return envelope.code === 0 ? !succeeded(envelope) : envelope.ok === true;
}

/** For the service's support; `undefined` where it is nothing that could be told. Not redacted. */
export function requestIdOf(json: IDataObject | undefined): string | undefined {
	const requestId: unknown = json?.request_id;
	if (typeof requestId === 'number') return String(requestId);
	return typeof requestId === 'string' && requestId !== '' ? requestId : undefined;
}
