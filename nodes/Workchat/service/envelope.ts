import type { IDataObject } from 'n8n-workflow';

import { Breather } from './breather';
import { excessOf } from './jsonText';

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

/** The envelope in a body, or `undefined` where it holds none. */
export async function parseEnvelope(body: Buffer): Promise<Envelope | undefined> {
	const breather = new Breather();
	try {
		const text = body.toString('utf8').replace(/^\ufeff/, '');
		if (breather.isDue()) await breather.breathe();
		if (await excessOf(text)) return undefined;
		const value: unknown = JSON.parse(text);
		if (breather.isDue()) await breather.breathe();
		return isEnvelope(value) ? value : undefined;
	} catch {
		return undefined;
	}
}

function isEnvelope(value: unknown): value is Envelope {
	return (
		typeof value === 'object' && value !== null && 'code' in value && Number.isInteger(value.code)
	);
}

export function succeeded(envelope: Envelope): boolean {
	return envelope.code === 0 && (envelope.ok === undefined || envelope.ok === true);
}

/** Whether its code says one thing, and `ok` another. */
export function contradictsItself(envelope: Envelope | undefined): boolean {
	if (!envelope) return false;
	return envelope.code === 0 ? !succeeded(envelope) : envelope.ok === true;
}

/** Longer than what is ever shown of it. */
const LONGEST_REQUEST_ID = 10_000;

/** For the service's support; `undefined` where it is nothing that could be told. Not redacted. */
export function requestIdOf(envelope: Envelope | undefined): string | undefined {
	const requestId: unknown = envelope?.request_id;
	if (typeof requestId === 'number') return String(requestId);
	return typeof requestId === 'string' && requestId !== ''
		? requestId.slice(0, LONGEST_REQUEST_ID)
		: undefined;
}
