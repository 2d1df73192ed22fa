import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
} from 'n8n-workflow';

import type { Credential } from '../service/credential';
import type { SecretField } from '../service/failure/secrets';
import type { Wording } from '../service/failure/wording';

/** Something that the user should know though nothing failed. */
export interface Remark {
	/** A sentence without its final period. The same words of several items are said once. */
	text: string;
	/** What it is about, such as a field. */
	subject?: string;
}

/** What an item becomes, before it is paired with its input. */
export interface Output extends Pick<INodeExecutionData, 'json' | 'binary'> {
	remarks?: Remark[];
}

/** An item that was read and checked. */
export interface ItemRequest {
	/** The documented fields, as they go over the wire. */
	body: IDataObject;
	wording: Wording;
	/** A name under which its recipient gets it once, whatever execution sends it. */
	sendOnceKey?: string;
	/** Whether it is to be shown instead of sent. */
	isDryRun?: boolean;
	remarks?: Remark[];
}

/** How the items of a run are handled together. */
export interface RunSettings {
	/** Most requests in flight. */
	maxConcurrency: number;
	/** Milliseconds between the starts of two requests. */
	requestInterval: number;
	/** Tries of one item, the first included. */
	maxTries: number;
	/** Whether an item may be repeated though it may have been done. */
	repeatsUnknown: boolean;
	/** Whether items may have a {@link ItemRequest.sendOnceKey}: it stands in the settings of all. */
	mayHaveKeys: boolean;
	/** Whether nothing is sent. */
	isDryRun: boolean;
}

/** One operation of the node: its parameters, its request and its output. */
export interface Operation<R extends ItemRequest = ItemRequest> {
	/** Value of the `operation` parameter. */
	value: string;
	/** Title Case, for the panel. */
	name: string;
	/** Sentence case, for the list of actions. */
	action: string;
	description: string;
	/** Below the Base URL, from the service's documentation. */
	path: string;
	/** Of the request, beside the instance: their names, and what is secret about them. */
	fields: SecretField[];
	/** Fields that belong together, under one name. */
	content?: {
		name: string;
		displayName: string;
		fields: Array<SecretField & { label: string }>;
		/** Whether the trigger looks for it in callbacks. */
		comesWithCallbacks?: boolean;
	};
	/** The parameter that says who gets it. */
	recipientParameter?: string;
	/** Whether doing it twice harms nobody. Where it does, a ledger prevents it. */
	isRepeatable: boolean;
	/** Parameters, shown for this operation only. */
	parameters: INodeProperties[];
	/** Parameters that make what is sent: with other values, it is another message. */
	contentParameters?: INodeProperties[];
	readSettings(context: IExecuteFunctions): RunSettings;
	/** Reads and checks one item; throws a `Failure` that names all that is wrong with it. */
	read(context: IExecuteFunctions, itemIndex: number, credential: Credential): Promise<R>;
	/** Requests of one key go out one after another; without it, all are independent. */
	orderKeyOf?(request: R): string;
	perform(context: IExecuteFunctions, credential: Credential, request: R): Promise<Output>;
}
