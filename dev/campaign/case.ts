import type { Step } from './step';

/** How the Base URL leads to the stand-in, or does not. */
export type Line =
	| 'http'
	| 'https'
	/** Nobody listens there. */
	| 'dead'
	/** https:// to a port that speaks plain HTTP. */
	| 'plainPort'
	/** The connection is closed as soon as it is there. */
	| 'closes'
	| 'closesTls';

export interface CaseItem {
	/** By this the stand-in knows the item again, in whatever request. */
	marker: string;
	toId: string;
	/** What happens to its requests, one after the other; the last step goes on. */
	script: Step[];
	/** Of a download. */
	content?: Buffer;
}

/** When an execution is cancelled. */
export interface Cancelling {
	/** Once so many requests were seen in all. */
	requests: number;
	/** Milliseconds after that. */
	delay: number;
}

/** Parameters of the node while a run lasts. */
export interface Settings {
	parameters: Record<string, unknown>;
	maxConcurrency: number;
	maxTries: number;
	timeout: number;
	resendUnknown: boolean;
}

/** One workflow, what the service does to it, and how often it is run. */
export interface Case {
	number: number;
	kind: 'send' | 'tool' | 'download';
	line: Line;
	items: CaseItem[];
	/** Which of `items` each input item is: as a tool, the node is called with the same again. */
	inputs: number[];
	onError: 'stopWorkflow' | 'continueRegularOutput' | 'continueErrorOutput';
	retryOnFail: boolean;
	/** Of Retry On Fail. */
	maxNodeTries: number;
	settings: Settings;
	/** Where the items themselves have them. */
	fieldsInItems?: Record<string, string | number>;
	/** Whether a field may be missing now and then, in an item that was complete before. */
	mayComeOutEmpty: boolean;
	/** How often a failed execution is retried from the list of executions. */
	retries: number;
	/** What an edit of the workflow made of the settings, from that retry on. */
	edited?: { from: number; settings: Settings; isOtherMessage: boolean };
	/** From this retry on, the service does everything it is asked to. */
	recoversFrom: number;
	cancelling?: Cancelling;
}

export function settingsIn(given: Case, run: number): Settings {
	return given.edited && run >= given.edited.from ? given.edited.settings : given.settings;
}

/** Requests of one item are for the same message as long as this number is the same. */
export function editionIn({ edited }: Case, run: number): number {
	return edited?.isOtherMessage && run >= edited.from ? 1 : 0;
}
