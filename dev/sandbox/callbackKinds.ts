import type { FileFields } from './samples';

/**
 * Callbacks of compatible services, in the format that public clients of these show. All values are
 * invented, and the Workchat service itself may post something else.
 */

interface CallbackContent {
	/** IDs are made of it. */
	number: number;
	/** When it happened, in seconds since 1970. */
	time: number;
	files: FileFields[];
	/** Of the customer who writes. */
	senderId?: string;
	text?: string;
	coverUrl: string;
}

const GUID = '4F0C2B7E-19D3-4A56-8E21-7C90AB3D11F4';
const OTHER_GUID = '9B1D6E30-5C2F-4D7A-A1B8-03E4F5A6C7D9';
const ACCOUNT = '1688850000111222';
const CUSTOMER = '7881300000333444';

/** @param by the sender, which may be the account itself: its own messages are posted, too */
function event(
	{ number, time, senderId = CUSTOMER }: CallbackContent,
	msgType: number,
	msgData: unknown,
	by = senderId,
) {
	return {
		cmd: 15000,
		msgType,
		guid: GUID,
		userId: ACCOUNT,
		senderId: by,
		receiverId: by === ACCOUNT ? CUSTOMER : ACCOUNT,
		fromRoomId: '0',
		msgServerId: String(1_000_000 + number),
		timestamp: time,
		msgData,
	};
}
type Event = ReturnType<typeof event>;

const posted = (...data: Event[]) => ({ code: 0, msg: '成功', data });

/** @param prefix of the field names of its URL and size */
function file({ files }: CallbackContent, type: 1 | 4 | 5, prefix: string, more: object) {
	const { fileAeskey, fileAuthkey, ...rest } = files.find(({ fileType }) => fileType === type)!;
	const keys = { fileAeskey, fileAuthkey };
	return { ...keys, [`${prefix}HttpUrl`]: rest.fileUrl, [`${prefix}Size`]: rest.fileSize, ...more };
}

const text = (given: CallbackContent, by?: string) =>
	event(given, 2, { content: given.text ?? 'Hello!' }, by);

const picture = (given: CallbackContent) =>
	event(given, 101, file(given, 1, 'fileBig', { fileName: '', fileMd5: '0f34' }));

const document = (given: CallbackContent, fileName: string) =>
	event(given, 102, file(given, 5, 'file', { fileName }));

function feedVideo({ number, coverUrl }: CallbackContent) {
	return {
		channelName: 'Example Channel',
		channelUrl: 'https://example.com/channel',
		coverUrl,
		encodeData: `fake-encode-data-${number}`,
		headImgUrl: coverUrl,
		feedId: `fake-feed-id-${number}`,
		feedNo: `fake-feed-no-${number}`,
		username: 'fake-username',
	};
}

export const callbackKinds = {
	picture: (given) => posted(picture(given)),
	file: (given) => posted(document(given, '报告 2026.pdf')),
	video: (given) => {
		const ofVideo = { fileName: '', coverImageHttpUrl: given.coverUrl, duration: 3 };
		return posted(event(given, 103, file(given, 4, 'file', ofVideo)));
	},
	mixed: (given) => {
		const all = [text(given), picture(given), document(given, 'report.pdf')];
		const parts = all.map(({ msgType, msgData }) => ({ subMsgType: msgType, subMsgData: msgData }));
		return posted(event(given, 123, parts));
	},
	feedVideo: (given) => posted(event(given, 141, feedVideo(given))),
	incompleteFeedVideo: (given) => posted(event(given, 141, { ...feedVideo(given), feedNo: '' })),
	text: (given) => posted(text(given)),
	ownText: (given) => posted(text(given, ACCOUNT)),
	ownFeedVideo: (given) => posted(event(given, 141, feedVideo(given), ACCOUNT)),
	twoInstances: (given) => {
		return posted(picture(given), { ...document(given, 'report.pdf'), guid: OTHER_GUID });
	},
	offline: (given) => posted({ ...event(given, 0, { code: 11022 }), cmd: 11016 }),
	verification: () => ({ testMsg: 'fake-test', token: 'fake-token' }),
} satisfies Record<string, (given: CallbackContent) => object>;

export type CallbackKind = keyof typeof callbackKinds;
