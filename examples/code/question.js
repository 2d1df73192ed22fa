// What somebody is asked, in two languages. What the node would refuse is counted before.
const { list } = $('Who Is Due').first().json;
const {
	video,
	tester,
	file,
	unknown,
	secondsBetween = $('Settings').first().json.secondsBetween,
} = list;
const checked = $('Who Is Due')
	.all()
	.map(({ json }, at) => ({ ...json, reason: $input.all()[at].json.error?.message }))
	.filter(({ toId }) => toId !== undefined);
const wrong = checked.filter(({ reason, isUnknown }) => reason && !isUnknown);
const sends = checked.length - unknown - wrong.length;
const inWords = (hours) => {
	const [count, english, chinese] =
		hours >= 48
			? [hours / 24, 'days', '天']
			: hours >= 2
				? [hours, 'hours', '小时']
				: [Math.max(1, hours * 60), 'min', '分钟'];
	return [english, chinese].map((unit) => `${Math.floor(count)} ${unit}`);
};
const age = inWords(video?.hours ?? 0);
const length = inWords((sends * secondsBetween) / 3600);
/** Such as "30 people 人 = 28 to send 待发送 + 2 got it 已收到". */
const sum = (total, ...parts) => {
	const there = parts.filter(([count]) => count).map((part) => part.join(' '));
	return `${total} = ${there.join(' + ') || 0}`;
};
const rows = file && file.people + file.twice + file.empty + file.lost.length;
const onlyInTable = list.people - (file?.people ?? 0);
const parts = [
	[sends, 'to send to 待发送'],
	[list.got, 'got it before 已收到'],
	[unknown, 'unknown: may have got it 不确定'],
	...Object.entries(list.words).map(([word, count]) => [count, `with the status 状态 “${word}”`]),
	[list.givenUp, 'failed three times 已失败三次'],
	[list.excluded, 'in do-not-contact 在免打扰名单'],
	[wrong.length, 'notSent, as the ID is wrong ID 有误'],
	[list.more, 'for the next run 留到下次'],
];
const facts = [
	file &&
		sum(
			`${file.name}: ${rows} rows 行`,
			[file.people, 'people 人'],
			[file.twice, 'repeated 重复'],
			[file.empty, 'without an ID 无 ID'],
			[file.lost.length, '⚠ numbers that lost digits 丢失尾数'],
		),
	file && `Column 列: ${file.of ? `“${file.of}”` : '1'}: ${file.listed.join(', ')} …`,
	file?.lost.length &&
		`Left out, enter them anew as text 请以文本格式重新填入: ${file.lost.slice(0, 20).join(', ')}`,
	file &&
		onlyInTable &&
		`${onlyInTable} more stand in the table only 另有 ${onlyInTable} 人仅在数据表中`,
	sum(`${list.people} people 人`, ...parts),
	list.isNewCampaign &&
		`⚠ ${list.campaign} is new, so nobody counts as having got it 新活动，视为无人收到过` +
			(list.otherCampaigns.length ? ` · Others 其他活动: ${list.otherCampaigns.join(', ')}` : ''),
	video && `Video 视频: ${[video.channel, video.name || '?'].join(' · ')}`,
	video?.account && `⚠ Sent by the account 发送账号: ${video.account}`,
	video?.hours !== undefined && `Caught ${age[0]} ago ${age[1]}前收到`,
	video?.hours >= 120 &&
		'⚠ Its links may have expired: send it from the phone again 链接可能已失效，请用手机重新发送',
	list.isUnprotected && '⚠ The table do-not-contact is empty 免打扰名单为空',
	list.oddEntries.length &&
		`⚠ Nobody's ID, in do-not-contact 免打扰名单中这些不是任何人的 ID: ${list.oddEntries.join(', ')}`,
	list.withoutId &&
		`${list.withoutId} rows of the table without an ID 数据表中 ${list.withoutId} 行没有 ID`,
	...wrong.slice(0, 20).map(({ toId, reason }) => `“${toId}” · ${inBoth(reason)}`),
	wrong.length > 20 && '…',
	sends * secondsBetween >= 10 &&
		`It takes about ${length[0]}. The button turns until then; you may close this page 约需 ${length[1]}，期间按钮转动，可关闭本页`,
	tester
		? `${tester} just got the video: does it look right? 已先发给自己，显示正常吗？`
		: '⚠ Nobody sees it before: no ID of your own was given 没有人先看过',
	'A Yes really sends, also where n8n says “test” 选择发送就会真正发出，即使页面显示 test',
].filter((fact) => fact);
const isNobody = sends + unknown === 0;
const bySchedule = sends || list.isStale || wrong.length ? 'send' : 'nobody';
const noting = list.isStale ? 'send' : 'nobody';
const step = !list.isPage ? bySchedule : isNobody ? noting : tester ? 'rehearse' : 'ask';
const again = `to the ${unknown} unknown ones (some may get it twice) 重发给不确定的 ${unknown} 人（可能重复）`;
const options = [
	sends && 'Yes, send it 发送',
	unknown && `Yes, ${sends ? 'also ' : ''}${again}`,
	'No 不发送',
].filter((option) => option);
const answer = {
	fieldName: 'answer',
	fieldLabel: 'Answer 回答',
	fieldType: 'radio',
	requiredField: true,
};
const cover = /^https?:\/\/[^\s"<>]+$/.test(video?.cover ?? '')
	? `<img src="${video.cover}" alt="" width="120">\n`
	: '';
const people = sends === 1 ? '1 person' : `${sends} people`;
return [
	{
		json: {
			step,
			question: sends
				? `Send ${list.campaign} to ${people}? 发送给 ${sends} 人？`
				: `Send ${list.campaign} again? 再次发送？`,
			details: cover + facts.map(escaped).join('\n'),
			fields: [{ ...answer, fieldOptions: { values: options.map((option) => ({ option })) } }],
			wrong: wrong.map(({ toId, reason }) => ({ toId, reason })).slice(0, 50),
			askedAt: Date.now(),
		},
	},
];
