import type { Body } from '../response/body';
import { parseBody, type ReadBody } from '../response/envelope';
import { outcomeOf } from '../response/outcome';
import { beginningOf, textKindOf, withoutProlog, type TextKind } from '../text/textKind';
import { extensionIn, nameInDisposition } from './fileName';
import { isBinaryExtension, typeOfBytes, typeOfText } from './mimeType';

/** Bytes of JSON that are looked through for a refusal: what is longer is a file. */
const LONGEST_REFUSAL = 1e6;
const EXTENSIONS: Record<TextKind, string[]> = {
	page: ['html', 'htm', 'xhtml', 'xht'],
	json: ['json', 'jsonl', 'ndjson', 'geojson'],
	text: [],
};
/** Office opens HTML, XML and lists under these names, so many programs write them. */
const OLD_OFFICE = ['doc', 'xls', 'ppt'];

/** What a file that is text says of itself. */
interface Facts {
	first: Buffer;
	contentType: unknown;
	/** Of its name, or of the link that led to it. */
	extension: string;
	/** Whether it has a name, or needs none. */
	isNamed: boolean;
	/** Whether an image or a video was asked for. */
	isMedia: boolean;
}

/**
 * Whether a response is the file, and not what servers say sorry in. Of JSON, the beginning is read.
 * @param isNo whether JSON says no
 */
export async function isFile(
	body: Body,
	{ linkName = '', isMedia }: { linkName?: string; isMedia: boolean },
	isNo: (read: ReadBody) => boolean,
): Promise<boolean> {
	const { first, head } = body;
	const contentType = head.headers['content-type'];
	const disposition = head.headers['content-disposition'];
	const kind = kindOf(first, contentType);
	if (kind === undefined) return true;
	const name = nameInDisposition(disposition);
	const extension = extensionIn(name ?? linkName);
	// On JSON, `attachment` alone stands on refusals, too.
	const isAttachment = kind === 'page' && /^\s*attachment\b/i.test(String(disposition));
	const isNamed = name !== undefined || isAttachment || EXTENSIONS[kind].includes(extension);
	if (!isTextFile(kind, { first, contentType, extension, isNamed, isMedia })) return false;
	if (kind !== 'json') return true;
	const { content, isWhole } = await body.peek(LONGEST_REFUSAL);
	return !isWhole || !isNo(await parseBody(content));
}

/** Whether a file out of an envelope is a message instead, and what that says. */
export async function messageIn(
	content: Buffer,
	contentType: unknown,
	isMedia: boolean,
): Promise<ReadBody | undefined> {
	const kind = kindOf(content, contentType);
	if (kind === undefined) return undefined;
	const facts = { first: content, contentType, extension: '', isNamed: true, isMedia };
	const read = content.length > LONGEST_REFUSAL ? { content } : await parseBody(content);
	return !isTextFile(kind, facts) || isRefusal(read) ? read : undefined;
}

/** What envelopes have beside a code. */
const OF_ENVELOPES = ['ok', 'message', 'request_id'];

/** Whether an object says that there is no file. */
export function isRefusal({ json, envelope }: ReadBody, status = 200): boolean {
	if (json?.ok === false) return true;
	const isEnvelope = envelope && OF_ENVELOPES.some((name) => name in envelope);
	return isEnvelope === true && outcomeOf(status, envelope) === 'rejected';
}

/** Whether it is called JSON, where `code` may mean anything. */
export function isCalledJson(name: string | undefined): boolean {
	return EXTENSIONS.json.includes(extensionIn(name ?? ''));
}

function kindOf(first: Buffer, contentType: unknown): TextKind | undefined {
	return typeOfBytes(first) ? undefined : textKindOf(first, contentType);
}

function isTextFile(kind: TextKind, facts: Facts): boolean {
	const { extension, isNamed, isMedia } = facts;
	if (kind !== 'json' && OLD_OFFICE.includes(extension)) return true;
	if (isTextMedia(facts)) return true;
	if (isMedia || isBinaryExtension(extension)) return false;
	return kind === 'text' || isNamed;
}

/** The images and videos that are text: SVG, and playlists of videos. */
function isTextMedia({ first, contentType, extension }: Facts): boolean {
	if (/\b(?:svg|mpegurl)\b/.test(String(typeOfText(first)))) return true;
	// What stands before an image's first tag may be longer than what was read.
	const isCalledSvg = extension === 'svg' || /\bsvg\b/i.test(String(contentType));
	const text = beginningOf(first);
	return isCalledSvg && text !== '' && withoutProlog(text ?? '') === '';
}
