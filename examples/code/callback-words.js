/** Without case, spaces and unseen characters. */
const compact = (text) =>
	String(text)
		.toLowerCase()
		.replace(/[\p{Default_Ignorable_Code_Point}\p{C}\s]/gu, '');
/** Its letters and numbers only. */
const plain = (text) => compact(text).replace(/[\p{P}\p{S}]/gu, '');
/** Whether a word has nothing but an emoji, such as 🛑 or /:no. */
const isEmoji = (word) => /^\/:/.test(word) || !plain(word);
