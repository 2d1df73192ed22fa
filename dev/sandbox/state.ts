import { Callbacks } from './callbacks';
import { Downloads } from './downloads';
import { Plan } from './plan';
import type { RecordedRequest } from './record';

export type Body = Record<string, unknown>;

/** All that a sandbox knows, in memory. */
export class State {
	/** Bodies of the accepted messages, in the order of acceptance. */
	readonly messages: Body[] = [];
	/** In order of arrival. */
	readonly requests: RecordedRequest[] = [];
	plan = new Plan();
	downloads = new Downloads();
	readonly callbacks = new Callbacks();

	clear(): void {
		this.messages.length = 0;
		this.requests.length = 0;
		this.plan = new Plan();
		this.downloads = new Downloads();
		this.callbacks.clear();
	}
}
