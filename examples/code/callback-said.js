// The words of a message, without markup, the quoted message before them, and mentions that are certain.
const NAMED = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
const characterOf = (code) => (code <= 0x10ffff ? String.fromCodePoint(code) : '');
const decode = (text) =>
	text.replace(/&(?:#x([\da-f]+)|#(\d+)|(nbsp|[a-z]\w+(?=;)));?/gi, (_, hex, decimal, name) =>
		name ? (NAMED[name.toLowerCase()] ?? ' ') : characterOf(hex ? parseInt(hex, 16) : +decimal),
	);
// The end of a long text counts, as it starts with a quoted message.
const posted = `${$json.text ?? ''}`;
const end = posted.length > 10_000 ? `>${posted.slice(-10_000)}` : posted;
// Twice, as text may be escaped once more inside of XML.
const decoded = decode(decode(end)).replace(/\r\n?/g, '\n');
const unmarked = decoded
	.replace(/<!\[CDATA\[([^]*?)\]\]>/g, '$1')
	.replace(/<(blockquote|quote)\b[^<>]*>[^]*?<\/\1>/gi, '\n> \n')
	.replace(/<at\b[^<>]*>[^]*?<\/at>/gi, '\n')
	.replace(/<\/?(?:br|p|div|li|tr|td|h\d)\b[^<>]*>/gi, '\n')
	.replace(/<[a-z/!?][^<>]*>/gi, ' ');
// Somebody may have typed <stop>, which is not markup.
const text = /<[/!]|\/>|<(?:br|hr|img|li|p)\b/i.test(decoded) ? unmarked : decoded;

const RULER = /^([^\S\n]*(?:[\p{P}\p{S}][^\S\n]*){3,})$/mu;
const QUOTE = /^\s*(?:>.*\n|[「『“"【[][^]*?[」』”"】\]]\s*\n)+/;
// Above a ruler, what starts with a mark or a name is quoted.
const parts = text.split(RULER);
const isQuoted = (part, at) =>
	at % 2 === 0 && at < parts.length - 1 && /^\s*(?:[「『“"【[>]|.{1,40}[:：])/.test(part);
const quoted = parts.findLastIndex(isQuoted);
const own = quoted < 0 ? text : parts.slice(quoted + 2).join('');
const answer = own.replace(QUOTE, '');
const words = answer.trim() || quoted >= 0 ? answer : own;
// U+2005 ends a mention, whose name may have spaces. With " @", another mention starts.
return words.replace(/[@＠](?:(?!\s[@＠])[^\u2005\n])*\u2005/g, ' ').trim();
