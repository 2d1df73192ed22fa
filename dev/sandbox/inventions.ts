/**
 * The sandbox invents everything in this file, in part after public clients of compatible services. The
 * Workchat service documents neither its codes and messages nor the format of `data`: it may behave
 * differently.
 */

/** The path of a picture, which serves as the cover of sample videos. */
export const COVER = '/sandbox/cover.svg';

/** Codes of the envelope, other than the documented 0, with their HTTP status and message. */
export const refusals = {
	badKey: { status: 401, code: 40101, message: 'API key is missing or not valid' },
	badJson: { status: 400, code: 40001, message: 'the body is not JSON' },
	badFields: { status: 400, code: 40002, message: 'missing or wrong fields' },
	tooLarge: { status: 413, code: 41301, message: 'the body is too large' },
	notJson: { status: 415, code: 41501, message: 'the Content-Type has to be application/json' },
	noSuchPath: { status: 404, code: 40401, message: 'no such path' },
	crash: { status: 500, code: 50001, message: 'internal error' },
	noSuchFile: { status: 200, code: 42001, message: 'no such file' },
	badFileKey: { status: 200, code: 42002, message: 'the file cannot be decrypted' },
} as const;

export type Refusal = (typeof refusals)[keyof typeof refusals];

/** `data` of a sent message. */
export const sentData = (messageId: string) => ({ messageId });

/** The ways in which a download can carry its file. */
export const deliveries = {
	link: ({ link }) => ({ url: link }),
	base64: ({ content }) => ({ content: content().toString('base64') }),
	dataUri: ({ content, mimeType }) => ({
		file: `data:${mimeType};base64,${content().toString('base64')}`,
	}),
	// As public clients of compatible services show it.
	cloudUrl: ({ link }) => ({ cloudUrl: link }),
} satisfies Record<string, (file: Deliverable) => object>;

interface Deliverable {
	mimeType: string;
	/** A function, as a linked file may be too large for memory. */
	content: () => Buffer;
	/** From which the file can be downloaded without a key. */
	link: string;
}
