// What Settings holds, and why some of it cannot be used.
const problems = [];
const textOf = (name) => {
	const text = `${$json[name] ?? ''}`.normalize('NFKC').trim();
	if (!/[{]{2}|^=(?!")|^(?:undefined|null|nan|\[object object\])$/i.test(text)) return text;
	problems.push(`${name} is an expression that was left as text or has no result: ${text}`);
	return '';
};

// Spaces separate words only where nothing else does, so "opt out, stop" has two.
const SEPARATOR = /[,;|\\、。·"“”「」『』《》\t\r\n\v\f\u2028\u2029]|\/(?!:)/;
const QUOTES = /^[\s'`‘’<>()[\]]+|[\s'`‘’<>()[\]]+$/g;
const isMark = (word) => isEmoji(word) && !/\p{Extended_Pictographic}|\p{RI}|^\/:/u.test(word);
const wordsIn = (text) => {
	const parts = text.split(SEPARATOR).filter((part) => part.trim());
	const all = parts.length === 1 ? parts[0].split(/\s+/) : parts;
	const words = all.map((part) => part.replace(QUOTES, '')).filter((word) => !isMark(word));
	return [...new Set(words.map((word) => (isEmoji(word) ? compact(word) : plain(word))))];
};
const [stopText, startText, chatText] = ['stopWords', 'startWords', 'forwardChat'].map(textOf);
const stop = wordsIn(stopText);
const start = wordsIn(startText);
if (problems.length === 0 && stop.length === 0) {
	problems.push('stopWords has no word. Enter some, such as 退订, TD, stop');
}
const both = stop.filter((word) => start.includes(word));
if (both.length > 0) problems.push(`${both.join(', ')} is both in stopWords and in startWords`);

// An ID has no other characters, such as a space inside, here &. With an exponent it has lost digits,
// and 0 means "no group".
const EDGE = '[\\s"\'`“”‘’,;、。]+';
const chat = compact(
	chatText.replace(new RegExp(`^=?${EDGE}|${EDGE}$`, 'g'), '').replace(/[^\S\ufeff]+/g, ' & '),
);
const isChat = /^[\w.:@+=/~-]+$/.test(chat);
const isOdd = /^0+$|^\d+(?:\.\d+)?e\+?\d+$|^\d{5,}(?:\/\d{5,})+$/.test(chat);
if (chat && (!isChat || isOdd)) {
	problems.push(`forwardChat has to be the ID of one chat, as Read Callback shows it: ${chatText}`);
}
const problem = problems.map((each) => `In Settings, ${each}.`).join(' ');
return { stop, start, chat: isChat && !isOdd ? chat : '', problem };
