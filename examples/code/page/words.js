// The texts of the page, in English and in Chinese. $1, $2: values.
const isChinese = language.startsWith('zh');
const say = (key, ...values) =>
	WORDS[key][isChinese ? 1 : 0].replace(/\$(\d)/g, (_, at) => values[at - 1]);
const people = (count) =>
	isChinese ? `${count} 人` : count === 1 ? '1 person' : `${count} people`;
const duration = (seconds) => {
	const units = [
		[86_400, 'day', '天'],
		[3600, 'hour', '小时'],
		[60, 'minute', '分钟'],
	];
	const [size, english, chinese] = units.find(([size]) => seconds >= 1.5 * size) ?? units[2];
	const count = Math.max(1, Math.round(seconds / size));
	return isChinese ? `${count} ${chinese}` : `${count} ${english}${count === 1 ? '' : 's'}`;
};
const WORDS = {
	ask: ['Send “$1” to $2?', '将“$1”发送给 $2？'],
	askAgain: ['Send “$1” again?', '再次发送“$1”？'],
	nobody: ['“$1” has nobody left to send to', '“$1”已没有待发送的人'],
	send: ['Send to $1', '发送给 $1'],
	notYet: [
		'Nothing is sent until you click. To cancel, close this page.',
		'点击后才会发送。如不发送，关闭本页即可。',
	],
	takes: ['Sending takes about $1.', '发送约需 $1。'],
	tested: [
		'A test message was sent to $1. Check that it looks right.',
		'测试消息已发给 $1，请确认内容正确。',
	],
	untested: [
		'No test message: your own ID is missing.',
		'没有填写你自己的 ID，所以没有发送测试消息。',
	],
	resend: [
		'Also send to $1 whose outcome is unknown. Some of them may get it twice.',
		'也发送给结果不明的 $1，其中有人可能收到两次。',
	],
	received: ['Received $1 ago', '$1前收到'],
	old: [
		'The links of this video may have expired. Send the video to a chat again, then submit the form again.',
		'视频的链接可能已过期。请用手机把视频再发到任意聊天，然后重新提交表单。',
	],
	account: ['Sent from the account $1', '由账号 $1 发出'],
	elsewhere: [
		'Another page was sending “$1” when you submitted the form. People who get it there are skipped here.',
		'你提交表单时，另一个页面正在发送“$1”。在那边已收到的人，这里会跳过。',
	],
	oddEntries: [
		'Some entries in do-not-contact are not IDs: $1',
		'退订名单（do-not-contact）中有些条目不是 ID：$1',
	],
	cutNote: [
		'Rows skipped because their IDs lost the last digits ($1): $2. Enter these IDs as text.',
		'$1 个 ID 的末位数字丢失，已跳过。请以文本格式重新填写：$2',
	],
	linesNote: [
		'Rows skipped because a cell has several lines ($1): $2',
		'$1 个单元格有多行内容，已跳过：$2',
	],
	otherNote: [
		'Rows skipped because they look different from the others ($1): $2. If they are correct, put them in a list of their own.',
		'$1 行与其他行不同，已跳过。如果这些行没有错，请单独做成一份名单：$2',
	],
	unlike: ['Some of these values do not look like IDs: $1', '其中有些值不像 ID：$1'],
	ignored: [
		'These values in the list’s status columns have no effect: $1',
		'名单状态列中的这些值不起作用：$1',
	],
	skipped: ['Skipped', '跳过的人'],
	got: ['Already sent', '此前已发送'],
	unknown: ['Outcome unknown', '结果不明'],
	excluded: ['In do-not-contact', '在退订名单中'],
	wrong: ['Invalid ID', 'ID 无效'],
	givenUp: ['Failed three times', '已失败三次'],
	status: ['Status “$1”', '状态“$1”'],
	later: ['Left for the next run, which Continue starts', '留到下次发送（完成后点“继续”）'],
	details: ['Details', '详细信息'],
	list: ['List', '名单'],
	rows: ['Rows', '行数'],
	column: ['Column', '列'],
	ends: ['First and last IDs', '首尾 ID'],
	inList: ['People in the list', '名单人数'],
	twice: ['Repeated rows', '重复的行'],
	empty: ['Rows without an ID', '无 ID 的行'],
	cut: ['IDs that lost digits', '末位数字丢失的 ID'],
	lines: ['Cells with several lines', '含多行内容的单元格'],
	other: ['Rows that look different', '与其他行不同的行'],
	inTable: ['People only in the data table', '仅在数据表中的人'],
	tableEmpty: ['Table rows without an ID', '数据表中无 ID 的行'],
	new: ['New campaign', '新活动'],
	others: ['Other campaigns: $1', '其他活动：$1'],
	doNotContact: ['do-not-contact', '退订名单（do-not-contact）'],
	none: ['empty', '空'],
	starting: ['Starting …', '正在开始…'],
	sending: ['Sending', '正在发送'],
	stopping: ['Stopping …', '正在停止…'],
	stopped: ['Stopped', '已停止'],
	failed: ['Stopped automatically', '已自动停止'],
	done: ['Done', '已完成'],
	silent: ['No progress', '没有进展'],
	silentWhy: [
		'n8n has not reported for a while. It may have been restarted, or its data tables are full. If you continue, people who already have the message are skipped.',
		'n8n 已有一段时间没有回报进度，可能重启过，或者数据表已满。继续发送时，会跳过已收到的人。',
	],
	ofAll: ['$1 of $2', '$1 / $2'],
	timeLeft: ['about $1 left', '大约还需 $1'],
	close: [
		'You can close this page; sending continues. This address shows it again.',
		'发送期间可以关闭本页，不会中断；打开同一地址可再次查看。',
	],
	sent: ['Sent', '已发送'],
	failures: ['Failed', '失败'],
	unknowns: ['Unknown', '结果不明'],
	exclusions: ['Excluded', '已排除'],
	remaining: ['Remaining', '剩余'],
	rejected: ['Rejected', '被拒绝'],
	notSent: ['Not sent', '未发送'],
	stop: ['Stop', '停止'],
	goOn: ['Continue', '继续'],
	goOnWith: ['Continue: $1', '继续：$1'],
	latest: ['Latest failures', '最近失败'],
	notConfirmed: ['Not sent, or outcome unknown', '未发送或结果不明'],
	rest: ['$1 more are in the table.', '其余 $1 人见数据表。'],
	table: ['All results: data table “$1”', '全部结果：数据表“$1”'],
	download: ['Its ⋮ menu has Download CSV.', '表格的 ⋮ 菜单中有 Download CSV。'],
	sheetUnsaved: [
		'The results could not be written to the Google sheet.',
		'发送结果未能写入 Google 表格。',
	],
	nothing: ['Nothing was sent', '没有发送'],
	again: ['Go back, fix it, and submit the form again.', '请返回修改后重新提交。'],
	unpublished: [
		'n8n does not answer. Publish the workflow, then reload this page.',
		'n8n 没有应答。请发布工作流，然后刷新本页。',
	],
	unchanged: [
		'n8n did not carry this out. Its data tables may be full: look at the failed executions.',
		'操作没有执行。n8n 的数据表可能已满，请查看失败的执行。',
	],
	offline: ['No connection to n8n. Trying again …', '无法连接 n8n，正在重试…'],
	gone: [
		'n8n no longer keeps this page. The results are in the data table of the campaign. To send, submit the form again.',
		'本页已过期。结果见该活动的数据表；如需发送，请重新提交表单。',
	],
};
/** Reasons in Chinese. A pattern with a ^ stands for the beginning: the service's own words stay. */
const REASONS = [
	[
		/^Nothing.*In do-not-contact, row.*/,
		'退订名单（do-not-contact）中有 ID 丢失了末位数字，请以文本格式重新填写',
	],
	[/several lines/, '一个单元格中有多个 ID'],
	[/lost characters|digits are lost/, '有乱码或数字丢失'],
	[/format of a spreadsheet|15 digits/, '数字被电子表格改写，请设为文本格式后重新填写'],
	[/not look like an ID/, '不像 ID，请检查引号、空格、全角字符，或者是否有多个 ID'],
	[/finds nothing|left as text|an object/, '不是 ID'],
	[/was started for this recipient/, '此前已开始发送，结果不明'],
	[
		/did not answer in time|closed the connection|still working/,
		'服务没有及时响应，消息可能已发出',
	],
	[/could not be reached/, '无法连接服务'],
	[/^The Workchat service (?:refused|does not accept the request)/, '服务拒绝'],
	[
		/^The Workchat service (?:does not accept the API key|does not allow this)/,
		'服务不接受 API 密钥',
	],
	[/^The Workchat service is receiving too many requests/, '服务请求过多'],
	[/^The Workchat service (?:is not available right now|failed while)/, '服务暂不可用'],
];
/** The text in one language: of two texts, or of a reason. */
const oneOf = (text) => {
	const [english, chinese] = (text ?? '').split('｜');
	const [pattern, said] = REASONS.find(([pattern]) => pattern.test(english)) ?? [];
	if (!isChinese || !(chinese ?? said)) return english;
	return chinese ?? (pattern.source.startsWith('^') ? english.replace(pattern, said) : said);
};
