// The list: an uploaded file, or a sheet. If it is not certain which column holds the IDs, a page asks.
const HEADINGS = ['toid', 'recipientid', '收件人id', '接收人id'];
const NAMES = ['姓名', 'name', '昵称', 'nickname', '备注'];
// Of a list's statuses, only these count: another word may be of another tool or campaign.
const REFUSAL =
	/^(td|t|stop|unsubscribed?|opt(ed)?out|donotcontact)$|(?<![未没沒无無]有?)(退[订訂]|取消[订訂][阅閱]|拒|[勿免]打?[扰擾])/;
const lettersOf = (cell) => plain(cell).replace(/[\s\p{P}]/gu, '');
const isFilled = (cell) => clean(cell) !== '';
// Spreadsheets and people keep a number from being one by ="788…" or '788…
const bare = (cell) => clean(clean(cell).replace(/^=?"(.*)"$|^['’]/, '$1'));
// A spreadsheet keeps 15 digits of a number.
const isCutCell = (cell) =>
	typeof cell === 'number'
		? Math.abs(cell) >= 1e15
		: isRounded(cell) || (!settings.longIdsMayEndIn0 && /^\d{15}0{4,}$/.test(plain(bare(cell))));
/** The number of digits, 'text' with digits in it or a long one, 'word', or '' if the node would refuse it. */
const shapeOf = (cell) => {
	if (typeof cell === 'number' && !(Number.isInteger(cell) && cell >= 0)) return '';
	const text = plain(bare(cell));
	if (!ID.test(text)) return '';
	if (!isId(text) || !/\d|.{20}/.test(text)) return 'word';
	return /^\d+$/.test(text) ? text.length : 'text';
};
const isWord = (cell) => ['word', ''].includes(shapeOf(cell));
const LINE_BREAKS = /[\r\n\v\f\x85\u2028\u2029]+/;
const isIdCell = (cell) => isCutCell(cell) || isId(plain(bare(cell)));
// n8n reads a CSV of Windows in Chinese byte by byte, but not the text of these.
const DECODED = /\.(xls[xm]|ods|numbers)$/i;
const BYTES = /^[\x00-\xff]*[\x80-\xff][\x00-\xff]*$/;
const decode = (rows) => {
	let [all, failed] = [0, 0];
	const decodeFrom = (encoding) => (cell) => {
		if (typeof cell !== 'string' || !BYTES.test(cell)) return cell;
		all++;
		try {
			const bytes = Uint8Array.from(cell, (sign) => sign.charCodeAt(0));
			return new TextDecoder(encoding, { fatal: true }).decode(bytes);
		} catch {
			failed++;
			return cell;
		}
	};
	const inUtf8 = rows.map((cells) => cells.map(decodeFrom('utf-8')));
	// Single words of GB18030, such as 状态, are valid UTF-8, too.
	return failed > 0 && failed >= all / 2
		? rows.map((cells) => cells.map(decodeFrom('gb18030')))
		: inUtf8;
};
/** The filled rows of the list. */
const readRows = (items, isSheet, name, bad) => {
	const allKeys = [...new Set(items.flatMap(Object.keys))];
	const isRead = allKeys.every((key) => /^__EMPTY(_\d+)?$/.test(key));
	if (!isSheet && !(isRead && /\.(xls[xm]?|ods|numbers|csv|tsv|txt)$/i.test(name)))
		bad(
			'n8n cannot read it. If it has a password, remove that; otherwise save it as .xlsx. Then upload it again',
			'无法读取。如有密码，请先取消；否则请另存为 .xlsx，再重新上传',
		);
	// The file is read from row 0, which does not exist. So SheetJS names the columns __EMPTY, __EMPTY_1, …
	// and the first row keeps its types. As names, its numbers would be texts, and nobody would see that
	// they were cut.
	const keys = allKeys.filter((key) => key !== 'row_number');
	if (!isSheet) keys.sort((one, other) => one.slice(8) - other.slice(8));
	const filled = items
		.map((item) => keys.map((key) => item[key]))
		.filter((cells) => cells.some(isFilled));
	const rows = isSheet || DECODED.test(name) ? filled : decode(filled);
	if (rows.length === 0) bad('the first sheet is empty', '第一个工作表为空');
	if (
		rows.length > 50_001 ||
		jsonsOf('Read Rows Below').some((row) => Object.keys(row).length > 0 && !row.error)
	)
		bad(
			'it has more than 50,000 rows, or something far below them. Split the list, or delete the rows below',
			'名单超过 50,000 行，或者下方很远处还有内容。请拆分名单，或删除下方的行',
		);
	return rows;
};
/** The fields of the page that asks. n8n inserts them by String.replace, which gives $ a meaning. */
const questionsOf = (columns, first) => {
	const language = settings.language || jsonsOf('Campaign Form')[0].language;
	const say = (english, chinese) => (/^zh/.test(language) ? chinese : english);
	const joined = (cells) => cells.map((cell) => clean(cell).slice(0, 40)).join(' · ');
	const ask = (fieldName, fieldLabel, options) => ({
		...{ fieldName, fieldLabel, fieldType: 'radio', requiredField: true },
		fieldOptions: { values: options.map((option) => ({ option })) },
	});
	const column = ask(
		'column',
		say('Which column holds the recipients’ IDs?', '接收人的 ID 在哪一列？'),
		columns.map(({ at, title, cells }) => joined([`${at + 1}. ${title}`, ...cells.slice(0, 2)])),
	);
	const heading = ask(
		'heading',
		`${say('Is the first row a heading?', '第一行是标题吗？')} ${joined(first.filter(isFilled))}`,
		[
			say('Yes', '是'),
			say('No heading: the first row is a recipient', '没有标题：第一行就是接收人'),
		],
	);
	const fields = [...(columns.length > 0 ? [column] : []), ...(first.length > 0 ? [heading] : [])];
	return JSON.stringify(fields).replaceAll('$', '\\u0024');
};
/** The shapes of IDs among cells, and the cells that are nobody: few words among IDs, or unlike nearly all. */
const compare = (cells, title) => {
	const counts = new Map();
	for (const shape of cells.map(shapeOf)) counts.set(shape, (counts.get(shape) ?? 0) + 1);
	const shapes = [...counts].sort(([, one], [, other]) => other - one);
	const ofIds = shapes.filter(([each]) => each !== '' && each !== 'word');
	const words = counts.get('word') ?? 0;
	const isMostly = cells.filter(isIdCell).length >= cells.length / 2;
	const [[shape, count] = ['']] = isMostly && ofIds.length > 0 ? ofIds : shapes;
	const isNobody = (cell) => {
		const own = shapeOf(cell);
		if (title && lettersOf(cell) === lettersOf(title)) return true;
		if (shape === '' || own === shape) return false;
		if (own === '' || shape === 'word') return own === '';
		if (count >= 0.95 * cells.length) return true;
		// Account names without digits may be among others, but so are totals, examples and headings.
		return own === 'word' && (shape !== 'text' || words <= cells.length / 4);
	};
	return { ofIds: ofIds.map(([each]) => each), nobodies: new Set(cells.filter(isNobody)) };
};
/** Whom the list names, and what a person has to know about it, or questions; undefined without a list. */
const readList = () => {
	const items = jsonsOf('Read the Sheet');
	const isSheet = items[0]?.row_number !== undefined;
	const name = isSheet ? 'the sheet' : settings.file?.filename;
	if (!name) return undefined;
	const bad = (english, chinese) => fail(`${name}: ${english}.`, `${name}：${chinese}。`);
	const rows = readRows(items, isSheet, name, bad);

	const topOf = (at) => rows.findIndex((cells) => isFilled(cells[at]));
	const oursOf = (at) =>
		rows.slice(0, 20).findIndex((cells) => HEADINGS.includes(lettersOf(cells[at])));
	const columns = [...rows[0].keys()]
		.filter((at) => topOf(at) >= 0)
		.map((at) => {
			const isOurs = oursOf(at) >= 0;
			const head = isOurs ? oursOf(at) : topOf(at);
			const cells = rows.filter((_, nth) => nth !== head).map((row) => row[at]);
			return { at, isOurs, head, title: clean(rows[head][at]), cells: cells.filter(isFilled) };
		});
	const isLike = ({ cells }) => cells.filter(isIdCell).length > cells.length / 2;
	const ours = columns.filter(({ isOurs }) => isOurs);
	// A heading may be merged over two columns.
	const isSure =
		ours.length === 1 &&
		isLike(ours[0]) &&
		!columns.some((each) => isLike(each) && !isFilled(rows[ours[0].head][each.at]));
	const certain = isSure ? ours[0] : columns.length === 1 ? columns[0] : undefined;
	// The first account name may have no digits.
	const isAccounts = ({ cells }) =>
		cells.filter((cell) => shapeOf(cell) === 'text').length > cells.length / 2;
	const mayBeId = (cell, at) =>
		isIdCell(cell) ||
		idsIn(cell).flat().some(isId) ||
		(shapeOf(cell) === 'word' && columns.some((each) => each.at === at && isAccounts(each)));
	const asksHeading = ours.length === 0 && (rows[0].some(mayBeId) || !columns.some(isLike));
	const [answer] = jsonsOf('Which Column');
	if (!answer && (!certain || asksHeading)) {
		if (!isPage)
			bad('nobody is asked here, so name the column of the IDs toId', '请把 ID 列命名为 toId');
		return { asks: questionsOf(certain ? [] : columns, asksHeading ? rows[0] : []) };
	}
	const column = certain ?? columns.find(({ at }) => at + 1 === parseInt(answer.column));
	if (!column || (asksHeading && !answer.heading))
		bad('nobody said which column holds the IDs', '没有选择 ID 所在的列');

	const { at, head } = column;
	const isHeaded = !asksHeading || /^(Yes|是)/.test(answer.heading);
	const isHead = (nth) => isHeaded && nth === head && (nth === 0 || isWord(rows[nth][at]));
	const title = isHead(head) ? column.title : '';
	const people = rows.filter((_, nth) => !isHead(nth));
	if (people.length === 0)
		bad('the first sheet has nothing below its heading', '第一个工作表的标题下方没有内容');
	const isWhole = (cell) => isFilled(cell) && !isCutCell(cell) && !LINE_BREAKS.test(bare(cell));
	const { ofIds, nobodies } = compare(people.map((cells) => cells[at]).filter(isWhole), title);
	if (!isHeaded) nobodies.delete(rows[0][at]);
	const isSuch = (text) => ofIds.includes(shapeOf(text));
	const swallowed = people.flat().find((cell) => {
		const [, ...lines] = clean(cell).split(LINE_BREAKS);
		return lines
			.join()
			.split(/[,;\t]/)
			.some(isSuch);
	});
	if (swallowed) {
		const begin = clean(swallowed).split(LINE_BREAKS)[0].slice(0, 20);
		bad(
			`the cell “${begin}…” has IDs after a line break. Give each ID a row of its own. In a CSV file, a single quote " joins the rows below it: remove that`,
			`单元格“${begin}…”换行之后还有 ID。请每行只填一个 ID。如果是 CSV，可能有一个多余的引号 " 把后面的行并在了一起，请删除它`,
		);
	}
	const kindOf = (cell) => {
		if (!isFilled(bare(cell))) return 'empty';
		if (isCutCell(cell)) return 'cut';
		if (LINE_BREAKS.test(bare(cell))) return 'lines';
		return nobodies.has(cell) ? 'other' : 'good';
	};
	const titled = (pattern) =>
		[...rows[0].keys()].filter(
			(nth) => nth !== at && rows.slice(0, 20).some((cells) => pattern.test(lettersOf(cells[nth]))),
		);
	const statusesAt = titled(/(status|状态|狀態)$/);
	const [nameAt] = NAMES.flatMap((word) => titled(new RegExp(`^${word}$`)));
	const skipped = { empty: [], twice: [], cut: [], lines: [], other: [] };
	const [listed, ignored] = [new Map(), new Set()];
	for (const cells of people) {
		const kind = kindOf(cells[at]);
		skipped[kind]?.push(cells);
		if (kind !== 'good') continue;
		const toId = bare(cells[at]);
		const said = statusesAt.map((nth) => clean(cells[nth])).filter((text) => text);
		const refusal = said.find((text) => REFUSAL.test(lettersOf(text)));
		if (!refusal) said.forEach((text) => ignored.add(text));
		if (listed.has(toId)) skipped.twice.push(cells);
		const [, status = '', known = clean(cells[nameAt])] = listed.get(toId) ?? [];
		listed.set(toId, [toId, refusal ?? status, known]);
	}
	const textOf = (cells) => (bare(cells[at]) || cells.filter(isFilled).join(' ')).slice(0, 60);
	return {
		name,
		of: title,
		rows: people.length,
		all: [...listed.values()],
		ignored: [...ignored].slice(0, 20),
		unlike: [...listed.keys()].filter(isWord).slice(0, 20),
		skipped: Object.entries(skipped).map(([kind, all]) => [
			...[kind, all.length],
			all.slice(0, 5).map(textOf),
		]),
	};
};
