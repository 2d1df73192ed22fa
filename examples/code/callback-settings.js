// What Settings holds, and why some of it cannot be used.
const problems = [];
const textOf = (name) => {
	const text = `${$json[name] ?? ''}`.normalize('NFKC').trim();
	if (
		!/[{]{2}|^=(?!")|^\$|^\[object |^(?:undefined|null|nan|none|nil|n\/a|true|false)$/i.test(text)
	)
		return text;
	problems.push(`${name} is an expression that was left as text or has no result: ${text}`);
	return '';
};

// A word consists of letters, digits and emoji, or is a /:code. Any other character separates words,
// except in opt-out and don't. Spaces do so only where nothing else does, so "opt out, stop" has two.
const WORD =
	/\/:[^\s,;|、/]+|(?:(?!丨)[ \p{L}\p{M}\p{N}\p{Default_Ignorable_Code_Point}\p{Extended_Pictographic}\p{RI}]|(?<=[a-z\d])[-.'’_](?=[a-z\d]))+/giu;
const LIST_NUMBER = /(?<!\S)\d+[.)]\s*(?=\p{L})/gu;
const wordsIn = (text) => {
	const parts = (text.replace(LIST_NUMBER, '').match(WORD) ?? []).filter(compact);
	const all = parts.length === 1 ? parts[0].split(' ').filter(compact) : parts;
	return [...new Set(all.map((word) => (isEmoji(word) ? compact(word) : plain(word))))];
};
const [stopText, startText, chatText] = ['stopWords', 'startWords', 'forwardChat'].map(textOf);
const stop = wordsIn(stopText);
const start = wordsIn(startText);
if (problems.length === 0 && stop.length === 0) {
	problems.push('stopWords has no word. Enter some, such as 退订, TD, stop');
}
const both = stop.filter((word) => start.includes(word));
if (both.length > 0) problems.push(`${both.join(', ')} is both in stopWords and in startWords`);

// An ID has no other characters, such as a space inside, here &. A spreadsheet's 1.7E+16 or 7881.0 has
// lost digits, two numbers are two IDs, and 0 means "no group".
const EDGE = '[\\s"\'`“”‘’,;:.、。]+';
const chat = compact(
	chatText.replace(new RegExp(`^=?${EDGE}|${EDGE}$`, 'g'), '').replace(/[^\S\ufeff]+/g, ' & '),
);
const isChat = /^[\w.:@+=/~-]+$/.test(chat);
const isOdd = /^0+$|^\d+(?:\.\d+)?e\+?\d+$|^\d{4,}\.0*$|^\d{5,}(?:[/+]\d{5,})+$/.test(chat);
if (compact(chatText) && (!isChat || isOdd)) {
	problems.push(`forwardChat has to be the ID of one chat, as Read Callback shows it: ${chatText}`);
}
const problem = problems.map((each) => `In Settings, ${each}.`).join(' ');
return { stop, start, chat: isChat && !isOdd ? chat : '', problem };
