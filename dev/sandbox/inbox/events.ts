import { Readable } from 'node:stream';

import type { Inbox } from './inbox';

/**
 * The inbox as server-sent events: first what is in it, then what arrives. Who reads slowly gets
 * fewer and larger events, as each is made only when the one before is read.
 */
export function eventsOf(inbox: Inbox, lastId?: string): Readable {
	let id = lastId;
	let isWanted = false;
	const offer = () => {
		const next = isWanted && inbox.after(id);
		if (!next) return;
		id = next.id;
		isWanted = false;
		events.push(`id: ${id}\ndata: ${JSON.stringify(next.state)}\n\n`);
	};
	const events = new Readable({
		highWaterMark: 1, // Node.js 22 and newer would make the next one before.
		read() {
			isWanted = true;
			offer();
		},
		destroy(error, done) {
			leave();
			done(error);
		},
	});
	const leave = inbox.watch(offer);
	// It opens the stream even if there is nothing new to tell.
	events.push('retry: 1000\n\n');
	return events;
}
