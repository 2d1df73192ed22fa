// The words of a message, without markup, the quoted message before them, and mentions that are certain.
const NAMED = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
const characterOf = (code) => (code <= 0x10ffff ? String.fromCodePoint(code) : '');
const decode = (text) =>
	text.replace(/&(?:#x([\da-f]+)|#(\d+)|(nbsp|[a-z]\w+(?=;)));?/gi, (_, hex, decimal, name) =>
		name ? (NAMED[name.toLowerCase()] ?? ' ') : characterOf(hex ? parseInt(hex, 16) : +decimal),
	);
// Twice, as text may be escaped once more inside of XML. The end counts, as a long quoted message may
// stand before the answer.
const decoded = decode(decode(`${$json.text ?? ''}`.slice(-10_000))).replace(/\r\n?/g, '\n');
const unmarked = decoded
	.replace(/<!\[CDATA\[([^]*?)\]\]>/g, '$1')
	.replace(/<(at|blockquote|quote)\b[^<>]*>[^]*?<\/\1>/gi, '\n')
	.replace(/<\/?(?:br|p|div|li|tr|td|h\d)\b[^<>]*>/gi, '\n')
	.replace(/<[a-z/!?][^<>]*>/gi, ' ');
// Somebody may have typed <stop>.
const text = /^\s*<\w+>\s*$/.test(decoded) ? decoded : unmarked;

const RULER = /^[^\S\n]*(?:[\p{P}\p{S}][^\S\n]*){3,}$/mu;
const QUOTE = /^\s*(?:>.*\n|[「『“"【[][^]*?[」』”"】\]]\s*\n)+/;
const all = text.split(RULER);
const last = all.filter((part) => part.trim()).at(-1) ?? text;
const answer = last.replace(QUOTE, '');
const words = answer.trim() || all.length > 1 ? answer : last;
// U+2005 ends a mention, whose name may have spaces.
return words.replace(/[@＠][^\u2005\n]*\u2005/g, ' ').trim();
