import type { Credential } from '../service/credential';
import type { Failure } from '../service/failure/failure';
import type { ItemRequest, Output } from './operation';

/** An item that was read and checked, and can be performed. */
export interface Prepared {
	request: ItemRequest;
	credential: Credential;
	/** Items of one key are performed one after another. */
	orderKey: string;
}

/** An item that may be performed only once. */
export interface Message extends Prepared {
	/** Of the request and the key it goes out with. */
	digest: string;
	/** Where other executions may know of it. */
	names?: string[];
	/** Why it may have been sent already. Only success can take that away. */
	doubt: Failure | undefined;
}

/**
 * An item that is not performed, as it is known what comes out: how it ended before, or, with its
 * request, in a dry run.
 */
export interface Known extends Partial<Pick<Message, 'digest' | 'request' | 'orderKey'>> {
	known: Output | Failure;
}

/** An item to perform, what is known of one, or why it cannot be performed. */
export type Item = Prepared | Message | Known | Failure;

/** What became of an item; `undefined` where the run stopped before its turn. */
export type Result = Output | Failure | undefined;
