import { Downloads } from './downloads';
import { Inbox } from './inbox/inbox';
import { Plan } from './misbehaviour';
import { RequestRecord } from './record';

export type Body = Record<string, unknown>;

/** All that a sandbox knows, in memory. */
export class State {
	readonly record = new RequestRecord();
	readonly plan = new Plan();
	readonly inbox = new Inbox();
	readonly downloads = new Downloads();
	/** Bodies of the accepted messages, in the order of acceptance. */
	readonly messages: Body[] = [];

	clear(): void {
		this.messages.length = 0;
		for (const part of [this.record, this.plan, this.inbox, this.downloads]) part.clear();
	}
}
