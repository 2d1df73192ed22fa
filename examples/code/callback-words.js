/** Without case, spaces, and full-width or unseen characters. */
const compact = (text) =>
	String(text)
		.normalize('NFKC')
		.toLowerCase()
		.replace(/[\p{Default_Ignorable_Code_Point}\p{C}\s]/gu, '');
/** Its letters and numbers only. */
const plain = (text) => compact(text).replace(/[\p{P}\p{S}\p{Me}]/gu, '');
/** Whether a word has nothing but an emoji, such as 🛑 or /:no. */
const isEmoji = (word) => /^\/:/.test(word) || !plain(word);
