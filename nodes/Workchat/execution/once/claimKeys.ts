import { digestOf } from '../../common/digest';
import { canonicalBaseUrl } from '../../service/credential';
import type { Prepared } from '../item';

/** A change in this file invalidates all stored claims, so the CHANGELOG has to announce it. */
const VERSION = 1;

/** The claim key of a message; empty without a Send Once Key. */
export function keyOf({ request: { orderKey, sendOnceKey }, credential }: Prepared): string {
	return sendOnceKey ? messageKey(canonicalBaseUrl(credential), orderKey, sendOnceKey) : '';
}

/** @param orderKey contains the instance and the recipient */
export function messageKey(address: string, orderKey: string, sendOnceKey: string): string {
	return JSON.stringify([VERSION, 'key', address, orderKey, sendOnceKey.normalize('NFC')]);
}

/**
 * Some messages of an execution, in the format that n8n stores:
 * - `{ establishedAt: 1764547200000 }`: all since it was established, a time that its Retries share;
 * - `{ id: '42', runs: 3 }`: those after its first three runs, as its ledger has the results of these.
 */
export type ExecutionRef = { establishedAt: number } | { id: string; runs: number };

/**
 * The claim key of these messages. With a `keySetting` of the {@link RunSettings}, another claim key: it
 * only records that they are sent with this Send Once Key (see executionClaim.ts).
 */
export function executionKey(ref: ExecutionRef, keySetting = ''): string {
	return JSON.stringify([VERSION, 'run', ref, keySetting]);
}

/** The second entry of a claim key. It shows that the key is claimed, and not completed: see claimStore.ts. */
export function openEntry(claimKey: string): string {
	return `${claimKey} open`;
}

/** In this order, so that n8n drops the key before its open entry. */
export function entriesOf(claimKey: string): string[] {
	return [claimKey, openEntry(claimKey)];
}

/** A claim key in n8n's log: it hides the recipient, and is the same on every worker. */
export function logLabel(claimKey: string): string {
	return digestOf(claimKey).slice(0, 8);
}
