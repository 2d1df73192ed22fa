import { Callbacks } from './callbacks';
import { Downloads } from './downloads';
import { Plan } from './plan';
import { RequestRecord } from './record';

export type Body = Record<string, unknown>;

/** All that a sandbox knows, in memory. */
export class State {
	readonly record = new RequestRecord();
	readonly plan = new Plan();
	readonly downloads = new Downloads();
	readonly callbacks = new Callbacks();
	/** Bodies of the accepted messages, in the order of acceptance. */
	readonly messages: Body[] = [];

	clear(): void {
		this.messages.length = 0;
		const { record, plan, downloads, callbacks } = this;
		for (const part of [record, plan, downloads, callbacks]) part.clear();
	}
}
