import type { FileFields } from './samples';

export interface CallbackContent {
	/** 1 for the first callback. */
	number: number;
	/** All there are, the one whose turn it is first. */
	files: FileFields[];
	coverUrl: string;
}

/**
 * Callbacks in the shape that public clients of services of this kind show. All values are invented,
 * and the service itself may post something else.
 */

const GUID = '4F0C2B7E-19D3-4A56-8E21-7C90AB3D11F4';
const OTHER_GUID = '9B1D6E30-5C2F-4D7A-A1B8-03E4F5A6C7D9';
const ACCOUNT = '1688850000111222';
const CUSTOMER = '7881300000333444';
const TEXT = { content: 'Hello!' };

/** @param by who says it; the account itself, too, is told what it says */
function event({ number }: CallbackContent, msgType: number, msgData: unknown, by = CUSTOMER) {
	return {
		cmd: 15000,
		msgType,
		guid: GUID,
		userId: ACCOUNT,
		senderId: by,
		receiverId: by === ACCOUNT ? CUSTOMER : ACCOUNT,
		fromRoomId: '0',
		msgServerId: String(1_000_000 + number),
		timestamp: 1_790_000_000 + number,
		msgData,
	};
}
type Event = ReturnType<typeof event>;

const posted = (...data: Event[]) => ({ code: 0, msg: '成功', data });

/** A file of a fileType, under its keys. */
function fileOf({ files }: CallbackContent, wanted: number) {
	const file = files.find(({ fileType }) => fileType === wanted)!;
	const { fileAeskey, fileAuthkey, fileUrl, fileSize } = file;
	return { keys: { fileAeskey, fileAuthkey }, fileUrl, fileSize };
}

function picture(content: CallbackContent): object {
	const { keys, fileUrl, fileSize } = fileOf(content, 1);
	return { ...keys, fileBigHttpUrl: fileUrl, fileBigSize: fileSize, fileName: '', fileMd5: '0f34' };
}

/** A document, or a video beside a cover. */
function attachment(content: CallbackContent, type: 4 | 5, fileName: string): object {
	const { keys, fileUrl, fileSize } = fileOf(content, type);
	const ofVideo = type === 4 && { coverImageHttpUrl: content.coverUrl, duration: 3 };
	return { ...keys, fileHttpUrl: fileUrl, fileSize, fileName, ...ofVideo };
}

export function feedVideo({ number, coverUrl }: CallbackContent) {
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

export const kinCallbacks = {
	kinPicture: (content: CallbackContent) => posted(event(content, 101, picture(content))),
	kinFile: (content: CallbackContent) =>
		posted(event(content, 102, attachment(content, 5, '报告 2026.pdf'))),
	kinVideo: (content: CallbackContent) => posted(event(content, 103, attachment(content, 4, ''))),
	kinMixed: (content: CallbackContent) => {
		const text = { subMsgType: 2, subMsgData: TEXT };
		const image = { subMsgType: 101, subMsgData: picture(content) };
		const file = { subMsgType: 102, subMsgData: attachment(content, 5, 'report.pdf') };
		return posted(event(content, 123, [text, image, file]));
	},
	kinFeedVideo: (content: CallbackContent) => posted(event(content, 141, feedVideo(content))),
	kinFeedVideoWithout: (content: CallbackContent) =>
		posted(event(content, 141, { ...feedVideo(content), feedNo: '' })),
	kinText: (content: CallbackContent) => posted(event(content, 2, TEXT)),
	kinOwnText: (content: CallbackContent) => posted(event(content, 2, TEXT, ACCOUNT)),
	kinOwnFeedVideo: (content: CallbackContent) =>
		posted(event(content, 141, feedVideo(content), ACCOUNT)),
	kinTwoInstances: (content: CallbackContent) => {
		const file = event(content, 102, attachment(content, 5, 'report.pdf'));
		return posted(event(content, 101, picture(content)), { ...file, guid: OTHER_GUID });
	},
	kinVerification: () => ({ testMsg: 'fake-test', token: 'fake-token' }),
};
