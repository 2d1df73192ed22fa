import type { ReplyHead } from '../http';
import { mimeTypeOfHeader, typeOfBytes } from './mimeType';

/**
 * Whether a body is a web page or JSON that nobody called a file. Servers say sorry in these,
 * often with status 200; an attachment or a name that fits is a file of that kind.
 */
export function isWebPageOrJson({ headers }: ReplyHead, first: Buffer, fileName = ''): boolean {
	if (typeOfBytes(first) || isAttachment(headers['content-disposition'])) return false;
	const type = mimeTypeOfHeader(headers['content-type']) ?? '';
	const text = first.toString('utf8').replace(/^\ufeff/, '');
	if (
		/\bhtml\b/.test(type) ||
		/^(\s|<!--[\s\S]*?-->|<\?xml[^>]*>)*<(!doctype html|html|head|body)\b/i.test(text)
	) {
		return !/\.x?html?$/i.test(fileName);
	}
	if (/\bjson\b/.test(type) || /^\s*\{\s*["}]/.test(text)) return !/\.json$/i.test(fileName);
	return false;
}

function isAttachment(disposition: unknown): boolean {
	return typeof disposition === 'string' && /^\s*attachment\b|filename/i.test(disposition);
}
