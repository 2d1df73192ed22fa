import { extensionIn, nameInDisposition } from './fileName';
import { isBinaryExtension, mimeTypeOfHeader, typeOfBytes } from './mimeType';

/** What servers say sorry in, often with status 200, and what may be a file all the same. */
export type TextKind = 'page' | 'json';

/** Bytes in which a page or JSON shows. */
const BEGINNING = 4096;
const EXTENSIONS: Record<TextKind, string[]> = {
	page: ['html', 'htm', 'xhtml', 'xht'],
	json: ['json', 'jsonl', 'ndjson', 'geojson'],
};

/** Whether a body is a web page or JSON: its first bytes say it before its header does. */
export function textKindOf(first: Buffer, contentType: unknown): TextKind | undefined {
	if (typeOfBytes(first)) return undefined;
	const type = mimeTypeOfHeader(contentType) ?? '';
	const text = first.toString('utf8', 0, BEGINNING);
	if (beginsPage(text)) return 'page';
	if (/^\s*\{\s*["}]/.test(text)) return 'json';
	if (/\bhtml\b/.test(type)) return 'page';
	return /\bjson\b/.test(type) ? 'json' : undefined;
}

/** Whether a page or JSON is a file by its name; no page is a video, whatever it is called. */
export function isCalledFile(kind: TextKind, disposition: unknown, linkName = ''): boolean {
	const name = nameInDisposition(disposition);
	const extension = extensionIn(name ?? linkName);
	if (isBinaryExtension(extension)) return false;
	const isAttachment = typeof disposition === 'string' && /^\s*attachment\b/i.test(disposition);
	return isAttachment || name !== undefined || EXTENSIONS[kind].includes(extension);
}

/** Comments and an XML declaration may stand before a page's first tag. */
function beginsPage(text: string): boolean {
	let rest = text.trimStart();
	for (;;) {
		const close = rest.startsWith('<!--') ? '-->' : /^<\?xml/i.test(rest) ? '>' : undefined;
		if (close === undefined) return /^<(?:!doctype html|html|head|body)\b/i.test(rest);
		const end = rest.indexOf(close, 2);
		if (end === -1) return false;
		rest = rest.slice(end + close.length).trimStart();
	}
}
