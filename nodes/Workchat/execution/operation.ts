import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import type { Connection } from '../service/workchat';

/** What an item becomes, before it is paired with its input. */
export type Output = Pick<INodeExecutionData, 'json' | 'binary'>;

/** One operation of the node: its parameters, its request and its output. */
export interface Operation<Request = unknown> {
	/** Value of the `operation` parameter. */
	value: string;
	/** Title Case, for the panel. */
	name: string;
	/** Sentence case, for the list of actions. */
	action: string;
	description: string;
	/** Parameters, shown for this operation only. */
	parameters: INodeProperties[];
	/** Reads and checks one item; throws a `Failure` that names all that is wrong with it. */
	read(context: IExecuteFunctions, itemIndex: number, connection: Connection): Request;
	perform(context: IExecuteFunctions, connection: Connection, request: Request): Promise<Output>;
}
