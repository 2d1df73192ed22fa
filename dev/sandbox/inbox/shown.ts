/** What the page shows. Keys and `encodeData` have no place in it. */
export interface Arrivals {
	messages: Message;
	files: File;
	failures: Failure;
}

export type Section = keyof Arrivals;

/** What an accepted call brings; the `request_id` is known once the response is made. */
export type Arrival =
	| { section: 'messages'; entry: Omit<Message, 'requestId'> }
	| { section: 'files'; entry: Omit<File, 'requestId'> };

interface Heard {
	/** Empty where none reached the caller. */
	requestId: string;
}

export interface Message extends Heard {
	toId: string;
	instanceGuid: string;
	/** By their names, without secrets. Overlong addresses are empty. */
	fields: Record<string, string>;
}

export interface File extends Heard {
	fileType: number;
	name: string;
	/** How the response carries the file. */
	delivery: string;
}

export interface Failure extends Heard {
	call: string;
	toId: string;
	/** Neither status nor code where no whole response went out. */
	status?: number;
	code?: number;
	message: string;
	/** What the sandbox was told to do to the call. */
	told: string;
}
