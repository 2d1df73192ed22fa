// Names come from outside, and n8n takes the text for HTML.
const escaped = (text) => text.replace(/[<&]/g, (sign) => `&#${sign.charCodeAt()};`);
// What the node says of an ID, in Chinese, too.
const CHINESE = [
	[/several IDs|several lines/, '一格中有多个 ID'],
	[/lost characters|digits are lost/, '有乱码或丢失的位数'],
	[/format of a spreadsheet|text mark|15 digits/, '表格改写了数字：请设为文本格式，重新填入'],
	[/spreadsheet/, '表格的公式或错误值'],
	[/in quotes|full-width/, '带引号或全角字符'],
	[/finds nothing|no value|left as text|an object/, '不是 ID'],
];
const inBoth = (reason) =>
	[reason, CHINESE.find(([pattern]) => pattern.test(reason))?.[1]].filter((part) => part).join(' ');
