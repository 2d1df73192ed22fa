import type { FileFields } from '../sandbox/server';
import { VIDEO } from '../test/workflows';

/** A sandbox, as the contenders have to know it. */
export interface Target {
	url: string;
	key: string;
	/** What asks for the file. */
	file: FileFields;
}

export const PATHS = {
	send: '/workchat/messages/send-feed-video',
	download: '/workchat/files/wx-download',
};

export const INSTANCE = 'fake-instance-guid';

/** What every message holds beside its recipient. */
export const MESSAGE = { instance_guid: INSTANCE, ...VIDEO };

/** Each message has a recipient of its own; messages to the same one would wait for each other. */
export const RECIPIENT = 'customer-';
