// Names come from outside, and n8n takes the text for HTML.
const escaped = (text) => text.replace(/[<&]/g, (sign) => `&#${sign.charCodeAt()};`);
// What the node says of an ID, in Chinese, too.
const CHINESE = [
	[/several lines/, '一格中有多个 ID'],
	[/lost characters|digits are lost/, '有乱码或丢失的位数'],
	[/format of a spreadsheet|15 digits/, '表格改写了数字：请设为文本格式，重新填入'],
	[/not look like an ID/, '不像 ID：看看有没有引号、空格、全角字符，或者有多个 ID'],
	[/finds nothing|left as text|an object/, '不是 ID'],
];
const inBoth = (reason) =>
	[reason, CHINESE.find(([pattern]) => pattern.test(reason))?.[1]].filter((part) => part).join(' ');
