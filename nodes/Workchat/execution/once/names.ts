import { createHash } from 'node:crypto';

import { jsonStringify } from 'n8n-workflow';

/**
 * What messages are called, and with them the entries in n8n's memory. Whoever changes anything here
 * makes every node forget what it sent: then the version changes too, and the CHANGELOG says so.
 */
const VERSION = 1;

/** SHA-256 of a value's JSON, in base64. */
export function digestOf(value: unknown): string {
	return createHash('sha256').update(jsonOf(value)).digest('base64');
}

const known = new WeakMap<object, { beside: string; digest: string }>();

/** The same of an object that does not change, and may be large, beside what it stands with: made once. */
export function digestOnce(beside: string, json: object): string {
	const made = known.get(json);
	if (made?.beside === beside) return made.digest;
	const digest = digestOf([beside, json]);
	known.set(json, { beside, digest });
	return digest;
}

/** Of any value, also one with circles in it. */
function jsonOf(value: unknown): string {
	try {
		return JSON.stringify(value);
	} catch {
		return jsonStringify(value, { replaceCircularRefs: true });
	}
}

/**
 * A message under its Send Once Key.
 * @param address of the service
 * @param orderKey tells instance and recipient
 */
export function keyName(address: string, orderKey: string, sendOnceKey: string): string {
	return JSON.stringify([VERSION, 'key', address, orderKey, sendOnceKey.normalize('NFC')]);
}

/**
 * A message of a failed execution, for all its Retries.
 * @param content its source, or its digest and how often that stood in the list before
 */
export function retryName(original: string, runKey: string, ...content: unknown[]): string {
	return JSON.stringify([VERSION, 'retry', original, runKey, ...content]);
}

/**
 * A run that began to send.
 * @param establishedAt when its execution began, in milliseconds since 1970
 * @param digest of the call of a tool, where each is a run
 */
export function begunName(establishedAt: number, runKey: string, ...digest: string[]): string {
	return JSON.stringify([VERSION, 'begun', establishedAt, runKey, ...digest]);
}

/** Stands beside a name for as long as it is open how the message ended. */
export function openName(name: string): string {
	return `${name} open`;
}

/** In this order, so that of both it is the name that n8n drops first. */
export function entriesOf(name: string): string[] {
	return [name, openName(name)];
}

/** What n8n keeps of an entry (n8n 2.40, deduplication-helper). */
export function hashOf(entry: string): string {
	return createHash('md5').update(entry).digest('base64');
}
