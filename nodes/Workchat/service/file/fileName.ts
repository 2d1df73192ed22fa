/** In bytes of UTF-8; file systems stop at 255, and users add to names. */
const LONGEST_NAME = 200;
const EXTENSION = /\.\w{1,10}$/;

/** The name in a `Content-Disposition` header, `filename*` (RFC 5987) first. */
export function nameInDisposition(header: unknown): string | undefined {
	if (typeof header !== 'string') return undefined;
	const extended = /filename\*\s*=\s*([\w-]+)'[^']*'([^;]+)/i.exec(header);
	if (extended) {
		const [, charset = '', value = ''] = extended;
		const name = percentDecoded(value.trim(), charset);
		if (name !== undefined) return bareName(name);
	}
	const plain = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]+))/i.exec(header);
	if (!plain) return undefined;
	const name = plain[1]?.replace(/\\(.)/g, '$1') ?? plain[2] ?? '';
	return bareName(utf8InLatin1(name));
}

/** The last part of a link's path. */
export function nameInLink(link: string): string | undefined {
	const last = new URL(link).pathname.split('/').pop() ?? '';
	return bareName(percentDecoded(last, 'utf-8') ?? last);
}

/** A name that is safe as a file's name everywhere: no path, no control or reserved characters. */
export function bareName(name: string): string | undefined {
	const bare = name
		.split(/[/\\]/)
		.pop()
		?.replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '')
		.replace(/[<>:"|?*]/g, '_')
		.replace(/^[\s.]+|[\s.]+$/g, '');
	return bare ? shortened(bare) : undefined;
}

export function hasExtension(name: string): boolean {
	return EXTENSION.test(name);
}

/** The extension stays, whatever else goes. */
function shortened(name: string): string {
	if (Buffer.byteLength(name) <= LONGEST_NAME) return name;
	const extension = EXTENSION.exec(name)?.[0] ?? '';
	let stem = '';
	for (const character of name) {
		if (Buffer.byteLength(stem + character + extension) > LONGEST_NAME) break;
		stem += character;
	}
	return stem + extension;
}

function percentDecoded(text: string, charset: string): string | undefined {
	if (!/^utf-?8$/i.test(charset)) {
		return text.replace(/%([\da-f]{2})/gi, (_, hex: string) =>
			String.fromCharCode(parseInt(hex, 16)),
		);
	}
	try {
		return decodeURIComponent(text);
	} catch {
		return undefined;
	}
}

/** Node reads headers as Latin-1; many servers write a name's UTF-8 bytes there. */
function utf8InLatin1(text: string): string {
	if (/[^\0-\xff]/.test(text)) return text;
	const decoded = Buffer.from(text, 'latin1').toString('utf8');
	return decoded.includes('\ufffd') ? text : decoded;
}
