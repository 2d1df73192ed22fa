// The list that was uploaded, or a sheet in its place: rows of cells, in which the IDs are found.
const KINDS = [
	/^(to|recipient)id$/,
	/^(customer|client|contact|user|wechat|weixin|wx|wecom|external(user)?|客户|用户|微信|企微|企业微信|联系人|好友|收件人|接收人)的?(user)?id$/,
	/^id$/,
];
const heading = (cell) => plain(cell).replace(/[\s\p{P}]/gu, '');
const kindOf = (cell) => KINDS.findIndex((kind) => kind.test(heading(cell)));
const isFilled = (cell) => clean(cell) !== '';
// As spreadsheets and people keep a number from being one: ="788…" and '788…
const bare = (cell) => clean(clean(cell).replace(/^=?"(.*)"$|^['’]/, '$1'));
// What is an ID for sure, without a heading and above one.
const isId = (cell) => /^\d{14,}$|^wxid_|^[rs]:\d|@chatroom$/.test(plain(bare(cell)));
// A spreadsheet keeps 15 digits of a number.
const isCutCell = (cell) => (typeof cell === 'number' ? Math.abs(cell) >= 1e15 : isRounded(cell));
// A CSV in Chinese characters of Windows comes as the bytes that it holds, each as a character.
const decoded = (cell) => {
	if (typeof cell !== 'string' || !/^[\x00-\xff]*[\x80-\xff][\x00-\xff]*$/.test(cell)) return cell;
	const bytes = Uint8Array.from(cell, (sign) => sign.charCodeAt(0));
	for (const name of ['utf-8', 'gb18030']) {
		try {
			return new TextDecoder(name, { fatal: true }).decode(bytes);
		} catch {}
	}
	return cell;
};
/** Whom the file names, and what a person has to know of it; undefined if there is none. */
const readList = () => {
	const items = jsonsOf('Read the Sheet');
	const isSheet = items[0]?.row_number !== undefined;
	const name = isSheet ? 'the sheet' : settings.file?.filename;
	if (!name) return undefined;
	const bad = (text) => fail(`In ${name}, ${text}.`);
	if (items[0]?.error || !(isSheet || /\.(xls[xm]?|ods|numbers|csv|tsv|txt)$/i.test(name))) {
		bad('n8n finds no table. Save it as .xlsx, and send the form again 请另存为 .xlsx 再提交');
	}
	const rows = items
		.map(({ row, row_number, ...cells }) => Object.values(row ?? cells).map(decoded))
		.filter((cells) => cells.some(isFilled));
	if (rows.length === 0) bad('the first sheet is empty 第一个工作表是空的');
	const named = rows.slice(0, 20).findIndex((cells) => cells.some((cell) => kindOf(cell) >= 0));
	const isHeaded = named >= 0 || !rows[0].some((cell) => isId(cell) || isCutCell(cell));
	const begin = Math.max(named, 0);
	const [headings, below] = [rows[begin], rows.slice(isHeaded ? begin + 1 : 0)];
	if (rows.slice(0, begin).flat().some(isId)) {
		bad('IDs stand above the headings: put these first 请把标题行放在最前');
	}
	const columns = [...Array(Math.max(...rows.map(({ length }) => length))).keys()]
		.map((at) => ({ at, cells: below.map((row) => row[at]).filter(isFilled) }))
		.filter(({ cells }) => cells.length > 0);
	// An "ID" may only number the rows.
	const isNumbering = ({ cells }) => cells.every((cell) => /^\d{1,6}$/.test(bare(cell)));
	const ofKind = KINDS.map((_, kind) =>
		columns.filter(
			(each) => kindOf(headings[each.at]) === kind && (kind < 2 || !isNumbering(each)),
		),
	);
	const isLike = columns.length === 1 ? (cell) => /^[\w@.:+=-]{4,}$/.test(bare(cell)) : isId;
	const headed = headings.find((cell) => [0, 1].includes(kindOf(cell)));
	const ofName = ofKind.find(({ length }) => length > 0);
	if (headed && !ofName) bad(`no ID stands below “${clean(headed)}” 该列没有 ID`);
	const found =
		ofName ?? columns.filter(({ cells }) => cells.every((cell) => isLike(cell) || isCutCell(cell)));
	if (found.length !== 1) {
		const there = headings.filter(isFilled).map((cell) => `“${clean(cell).slice(0, 50)}”`);
		bad(
			`no column, or more than one, can be that of the IDs in the first sheet 无法确定 ID 列. The headings are: ${there.slice(0, 20).join(', ')}. Name the right one toId 请把 ID 列命名为 toId`,
		);
	}
	const [{ at }] = found;
	const status = isHeaded ? headings.findIndex((cell) => heading(cell) === 'status') : -1;
	const [listed, lost] = [new Map(), []];
	let [empty, twice] = [0, 0];
	for (const cells of below) {
		// A tab before a lone ID begins a column of its own.
		const isAlone = !isFilled(cells[at]) && headings.filter(isFilled).length === 1;
		const cell = isAlone ? cells.find((each) => isId(each) || isCutCell(each)) : cells[at];
		const toId = bare(cell);
		if (!toId) empty++;
		else if (isCutCell(cell)) lost.push(toId);
		else {
			if (listed.has(toId)) twice++;
			listed.set(toId, clean(cells[status]) || (listed.get(toId) ?? ''));
		}
	}
	if (listed.size === 0) {
		bad(
			`${lost.length} IDs, such as ${lost[0]}, are numbers that lost their last digits. Format the column as text, and enter them anew from where they come 请将该列设为文本格式，重新填入 ID`,
		);
	}
	return { name, of: isHeaded ? clean(headings[at]) : '', listed, lost, empty, twice };
};
