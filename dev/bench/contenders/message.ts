import { VIDEO } from '../../engine/workflows';

export const PATHS = {
	send: '/workchat/messages/send-feed-video',
	download: '/workchat/files/wx-download',
};

export const INSTANCE = 'fake-instance-guid';

/** What every message holds beside its recipient. */
export const MESSAGE = { instance_guid: INSTANCE, ...VIDEO };

/** Each message has a recipient of its own; messages to the same one would wait for each other. */
export const RECIPIENT = 'customer';
