// What is to be done with an event. If there are several tasks, each gets an execution of its own.
const { feedVideo, file, settings, sender, from, chat, said, offline } = $json;
const { stop, start } = settings;
const simple = (text) => text.normalize('NFKC').toLowerCase();
const longOf = (words) => words.filter((word) => !isEmoji(word) && word.length > 1);

// A word may follow a /:code at once. A single letter belongs to the code: /::T is an emoji.
const long = longOf([...stop, ...start]).join('|');
const CODE = new RegExp(`/:[!-~]+?(?=(?:${long})*(?:$|[^!-~]|/:))`, 'gu');
/** Without the emoji of a chat: characters, [word], /:code and :word:. */
const withoutEmoji = (text) =>
	simple(text.replace(/\p{Extended_Pictographic}|[\d#*]\uFE0F?\u20E3/gu, ' '))
		.replace(/\[[^[\]\n]{1,20}\]/g, ' ')
		.replace(CODE, ' ')
		.replace(/:[a-z+-][\w+-]*:/g, ' ');

// Mentions that somebody typed: names at the start or at the end.
const unmentioned = said.replace(/^(?:[@＠]\S+\s+)+|(?:\s+[@＠]\S+)+$/g, '').trim();
/** Whether somebody said these words, once or several times, and nothing else. */
const isOnly = (words) => {
	const left = withoutEmoji(unmentioned);
	if (!/[\p{L}\p{N}]/u.test(left)) {
		const unspaced = compact(unmentioned);
		const whole = plain(simple(unmentioned).replace(CODE, ' '));
		return words.some((word) => (isEmoji(word) ? unspaced.includes(word) : word === whole));
	}
	// A single letter has to stand apart each time: T_T is an emoji.
	const REPEATED = new RegExp(`^(?:${longOf(words).join('|')})+$`, 'u');
	const isWord = (text) => words.includes(text) || REPEATED.test(text);
	const apart = left.split(/[\s,;!?。、]+/).map(plain);
	return isWord(plain(left)) || apart.filter((part) => part).every(isWord);
};
/** Whether a word is part of what somebody said, however spaced. "LTD" does not have "TD" in it. */
const isIn = (word) => {
	if (isEmoji(word)) return compact(said).includes(word);
	const spaced = Array.from(word).join('[^\\p{L}\\p{N}]*');
	const before = /^[a-z\d]/.test(word) ? '(?<![a-z\\d])' : '';
	const after = /[a-z\d]$/.test(word) ? '(?![a-z\\d])' : '';
	return new RegExp(before + spaced + after, 'u').test(simple(said));
};

// Without a sender, or with nothing but a mention, a message is only listed to be checked.
const isClear = sender && !/^[@＠]/.test(unmentioned);
const ofWords = () => {
	if (isClear && isOnly(stop)) return 'stop';
	if (isClear && isOnly(start)) return 'start';
	return [...longOf(stop), ...stop.filter(isEmoji)].some(isIn) && 'check';
};
return [
	settings.problem && 'settings',
	from !== 'own' && said && ofWords(),
	feedVideo && 'keep',
	feedVideo && chat && compact(chat) === settings.chat && 'forward',
	file && 'file',
	offline && 'offline',
].filter(Boolean);
