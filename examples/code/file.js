// The list that was uploaded, or a sheet in its place: rows of cells, in which the IDs are found.
const KINDS = [
	/^(to|recipient)id$/,
	/^(customer|client|contact|user|wechat|weixin|wx|wecom|external(user)?|客户|用户|微信|企微|企业微信|联系人|好友|收件人|接收人)的?(user)?id$/,
	/^id$/,
];
const heading = (cell) => plain(cell).replace(/[\s\p{P}]/gu, '');
const kindOf = (cell) => KINDS.findIndex((kind) => kind.test(heading(cell)));
const isFilled = (cell) => clean(cell) !== '';
// Without a heading, and above one: what is an ID for sure.
const isId = (cell) => /^\d{14,}$|^wxid_|^[rs]:\d|@chatroom$/.test(plain(bare(cell)));
// A spreadsheet keeps 15 digits of a number.
const isCutCell = (cell) => (typeof cell === 'number' ? Math.abs(cell) >= 1e15 : isRounded(cell));
// A CSV in Chinese characters of Windows comes as the bytes that it holds, each as a character.
const decoded = (cell) => {
	if (typeof cell !== 'string' || !/[\x80-\xff]/.test(cell) || /[^\x00-\xff]/.test(cell))
		return cell;
	const bytes = Uint8Array.from(cell, (sign) => sign.charCodeAt(0));
	for (const name of ['utf-8', 'gb18030']) {
		try {
			return new TextDecoder(name, { fatal: true }).decode(bytes);
		} catch {}
	}
	return cell;
};
// As spreadsheets and people keep a number from being one: ="788…" and '788…
const bare = (cell) =>
	clean(
		clean(cell)
			.replace(/^=?"(.*)"$/, '$1')
			.replace(/^['’]/, ''),
	);
/** Whom the file names, and what a person has to know of it; undefined if there is none. */
const readList = () => {
	const items = $('Read the Sheet')
		.all()
		.map(({ json }) => json);
	const isSheet = items[0]?.row_number !== undefined;
	const name = isSheet ? 'the sheet' : settings.file?.filename;
	if (!name) return undefined;
	const bad = (text) => fail(`In ${name}, ${text}`);
	const NAMED = 'Name the one with the IDs toId 请把 ID 列命名为 toId.';
	if (items[0]?.error || !(isSheet || /\.(xlsx?|xlsm|ods|numbers|csv|tsv|txt)$/i.test(name))) {
		bad('n8n finds no table. Save it as .xlsx, and send the form again 请另存为 .xlsx 再提交.');
	}
	const rows = items
		.map(({ row, row_number, ...cells }) => Object.values(row ?? cells).map(decoded))
		.filter((cells) => cells.some(isFilled));
	if (rows.length === 0) bad('the first sheet is empty 第一个工作表是空的.');
	const begin = rows.slice(0, 20).findIndex((cells) => cells.some((cell) => kindOf(cell) >= 0));
	const below = rows.slice(begin + 1);
	const cellsOf = (column) => below.map((cells) => cells[column]).filter(isFilled);
	const headings = rows[Math.max(begin, 0)];
	const all = [...Array(Math.max(...rows.map(({ length }) => length))).keys()];
	const counts = (cells) => cells.every((cell) => /^\d{1,6}$/.test(bare(cell)));
	const kinds = all.map((column) => {
		const kind = begin < 0 ? -1 : kindOf(headings[column]);
		return kind === 2 && counts(cellsOf(column)) ? -1 : kind; // it numbers the rows
	});
	const best = Math.min(...kinds.filter((kind) => kind >= 0));
	const isOnly = all.filter((column) => cellsOf(column).length > 0).length === 1;
	const found = all.filter((column) => {
		if (Number.isFinite(best)) return kinds[column] === best;
		const cells = cellsOf(column).slice(begin < 0 && !isId(headings[column]) ? 1 : 0);
		const isLike = isOnly ? (cell) => /^[\w@.:+=-]{4,}$/.test(bare(cell)) : isId;
		return cells.length > 0 && cells.every((cell) => isLike(cell) || isCutCell(cell));
	});
	if (found.length !== 1) {
		const there = (found.length > 1 ? found.map((column) => headings[column]) : headings)
			.filter(isFilled)
			.map((cell) => `“${clean(cell).slice(0, 50)}”`);
		const what =
			found.length > 1
				? 'several columns may hold the IDs'
				: 'no column of the first sheet is named toId';
		bad(`${what} 无法确定 ID 列. There are: ${there.slice(0, 20).join(', ')}. ${NAMED}`);
	}
	const [column] = found;
	if (rows.slice(0, Math.max(begin, 0)).some((cells) => cells.some(isId))) {
		bad('IDs stand above the headings. Put the headings first 请把标题行放在最前.');
	}
	const hasHeading = begin >= 0 || !(isId(headings[column]) || isCutCell(headings[column]));
	const status = hasHeading ? headings.findIndex((cell) => heading(cell) === 'status') : -1;
	const listed = new Map();
	const lost = [];
	let [empty, twice] = [0, 0];
	for (const cells of begin < 0 && hasHeading ? below.slice(1) : below) {
		const toId = bare(cells[column]);
		if (!toId) empty++;
		else if (isCutCell(cells[column])) lost.push(toId);
		else {
			if (listed.has(toId)) twice++;
			listed.set(toId, clean(cells[status]) || listed.get(toId) || '');
		}
	}
	if (listed.size === 0) {
		bad(
			lost.length
				? `the IDs, such as ${lost[0]}, are numbers that lost their last digits. Format the column as text, and enter them anew from where they come 请将该列设为文本格式，重新填入 ID.`
				: 'there are no IDs under the heading 标题下没有 ID.',
		);
	}
	return { name, of: hasHeading ? clean(headings[column]) : '', listed, lost, empty, twice };
};
