import type { Draw } from '../draw';

/**
 * Values that may stand in nothing that n8n saves. Between two plain words each has characters that
 * every encoding writes in another way, so the words are found however the value was encoded.
 */
export const SECRETS = {
	apiKey: 'fakeKeyHead"/<&>+=\\ \'fakeKeyTail',
	encodeData: 'fakeEncodeHead"\r\n<b>&amp;\t/é+\\\'fakeEncodeTail',
	fileAeskey: 'fakeAesHead"/+==<&>fakeAesTail',
	fileAuthkey: "fakeAuthHead' \\/+&<fakeAuthTail",
	/** Of the links in the request. */
	query: 'signature=fakeSignatureHead%22%20%2B%2F%3C&fakeParameterHead=fakeSignatureTail',
	/** Of the link that the service gives out. */
	linkQuery: 'token=fakeTokenHead%22%20%2F%3CfakeTokenTail',
};

export function credentialFor(baseUrl: string) {
	return { apiKey: SECRETS.apiKey, baseUrl, defaultInstanceGuid: 'campaign-instance' };
}

const WORDS = /fake(Key|Encode|Aes|Auth|Signature|Token)(Head|Tail)/g;

/** The words of secrets that stand in a text. */
export function secretsIn(text: string): string[] {
	return [...new Set(text.match(WORDS) ?? [])];
}

const asJson = (text: string) => JSON.stringify(text).slice(1, -1);
const unicode = (character: string) =>
	`\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
const asUri = (text: string) => encodeURIComponent(text);
const HTML_NAMES: Record<string, string> = {
	'&': '&amp;',
	'<': '&lt;',
	'>': '&gt;',
	'"': '&quot;',
	"'": '&apos;',
};

/** Ways in which a service may write a value that it repeats. */
const ENCODINGS: Array<(text: string) => string> = [
	(text) => text,
	(text) => text,
	asJson,
	// As PHP, and as Go and Java do it.
	(text) =>
		asJson(text)
			.replaceAll('/', '\\/')
			.replace(/[^ -~]/g, unicode),
	(text) => asJson(text).replace(/[<>&']/g, unicode),
	asUri,
	(text) => asUri(text).replace(/%[\dA-F]{2}/g, (code) => code.toLowerCase()),
	(text) => new URLSearchParams({ '': text }).toString().slice(1),
	(text) => text.replace(/[&<>"']/g, (character) => HTML_NAMES[character] ?? ''),
	(text) => text.replace(/[&<>"'/+=]/g, (character) => `&#${character.charCodeAt(0)};`),
	(text) =>
		text.replace(/[&<>"'/+=]/g, (character) => `&#x${character.charCodeAt(0).toString(16)};`),
];

const OF_EVERY_REQUEST = [
	SECRETS.apiKey,
	SECRETS.query,
	decodeURIComponent(SECRETS.query.split(/[=&]/)[1] ?? ''),
	`https://example.com/cover.jpg?${SECRETS.query}`,
];
/** What a request tells the service, which may repeat it. */
export const OF_A_MESSAGE = [...OF_EVERY_REQUEST, SECRETS.encodeData];
export const OF_A_DOWNLOAD = [...OF_EVERY_REQUEST, SECRETS.fileAeskey, SECRETS.fileAuthkey];

/** A text that repeats some of the secrets that are known. */
export function tellingText(draw: Draw, known: string[]): string {
	const told = Array.from({ length: draw.integer(1, 4) }, () =>
		draw.pick(ENCODINGS)(draw.pick(known)),
	);
	return `not this: ${told.join(draw.pick([' ', ', ', '; at ', '\n']))}`;
}

/** A secret as it can stand in a header's address. */
export function tellingPath(draw: Draw, known: string[]): string {
	return asUri(draw.pick(known));
}
