// What somebody is asked, in two languages. What the node would refuse is counted before.
const { list } = $('Who Is Due').first().json;
const { video, tester, file, unknown } = list;
const checks = jsonsOf('Check the List');
const checked = jsonsOf('Who Is Due')
	.map((json, at) => ({ ...json, reason: checks[at].error?.message }))
	.filter(({ toId }) => toId !== undefined);
const wrong = checked.filter(({ reason, isUnknown }) => reason && !isUnknown);
const sends = checked.length - unknown - wrong.length;
const seconds = sends * $('Settings').first().json.secondsBetween + list.added / 100; // as n8n adds rows
const inWords = (hours) => {
	if (hours >= 48) return `${Math.floor(hours / 24)} days 天`;
	if (hours >= 2) return `${Math.floor(hours)} h 小时`;
	return `${Math.max(1, Math.floor(hours * 60))} min 分钟`;
};
/** Such as "30 people 人 = 28 to send 待发送 + 2 got it 已收到". */
const sum = (total, ...parts) => {
	const there = parts.filter(([count]) => count).map((part) => part.join(' '));
	return `${total} = ${there.join(' + ') || 0}`;
};
const ofFile = file && [
	[file.people, 'people 人'],
	[file.twice, 'repeated 重复'],
	[file.empty, 'without an ID 无 ID'],
	[file.lost.length, '⚠ numbers that lost digits 丢失尾数'],
];
const rows = ofFile?.reduce((all, [count]) => all + count, 0);
const onlyInTable = file && list.people - file.people;
const ofPeople = [
	[sends, 'to send to 待发送'],
	[list.got, 'got it before 已收到'],
	[unknown, 'unknown: may have got it 不确定'],
	...Object.entries(list.words).map(([word, count]) => [count, `with the status 状态 “${word}”`]),
	[list.givenUp, 'failed three times 已失败三次'],
	[list.excluded, 'in do-not-contact 在免打扰名单'],
	[wrong.length, 'notSent, as the ID is wrong ID 有误'],
	[list.more, 'for the next run 留到下次'],
];
const others = list.otherCampaigns.join(', ');
const odd = list.oddEntries.join(', ');
const lost = file?.lost.slice(0, 20).join(', ');
const facts = [
	file && sum(`${file.name}: ${rows} rows 行`, ...ofFile),
	file && `Column 列 ${file.of && `“${file.of}”`}: ${file.listed.join(', ')} …`,
	lost && `Enter them anew as text 请以文本格式重新填入: ${lost}`,
	onlyInTable && `${onlyInTable} more stand in the table only 人仅在数据表中`,
	sum(`${list.people} people 人`, ...ofPeople),
	list.isNewCampaign && `⚠ ${list.campaign} is new: nobody has got it yet 新活动，无人收到过`,
	others && `Other campaigns 其他活动: ${others}`,
	video && `Video 视频: ${[video.channel, video.name || '?'].join(' · ')}`,
	video?.account && `⚠ Sent by the account 发送账号: ${video.account}`,
	video?.hours !== undefined && `Caught ${inWords(video.hours)} ago 前收到`,
	video?.hours >= 120 && '⚠ Its links may have expired: send it anew 链接可能已失效',
	list.isUnprotected && '⚠ The table do-not-contact is empty 免打扰名单为空',
	odd && `⚠ In do-not-contact, but nobody's ID 免打扰名单中不是 ID: ${odd}`,
	list.withoutId && `${list.withoutId} rows of the table have no ID 数据表中无 ID 的行`,
	...wrong.slice(0, 20).map(({ toId, reason }) => `“${toId}” · ${inBoth(reason)}`),
	wrong.length > 20 && '…',
	seconds >= 10 &&
		`It takes about 约需 ${inWords(seconds / 3600)}. The button turns until then; you may close this page 期间按钮转动，可关闭本页`,
	tester && `${tester} just got the video: does it look right? 已先发给自己，显示正常吗？`,
	!tester && '⚠ Nobody sees it before: no ID of your own was given 没有人先看过',
	'A Yes really sends, also where n8n says “test” 选择发送就会真正发出，即使页面显示 test',
].filter((fact) => fact);
const isNoting = list.isStale || (!list.isPage && checked.length > unknown);
const asks = list.isPage && sends + unknown > 0;
const step = asks ? (tester ? 'rehearse' : 'ask') : isNoting ? 'send' : 'nobody';
const also = `Yes, ${sends ? 'also ' : ''}to the ${unknown} unknown ones (some may get it twice) 重发给不确定的 ${unknown} 人（可能重复）`;
const options = [sends && 'Yes, send it 发送', unknown && also, 'No 不发送'].filter((each) => each);
const isPicture = /^https?:\/\/[^\s"<>]+$/.test(video?.cover ?? '');
const cover = isPicture ? `<img src="${video.cover}" alt="" width="120">\n` : '';
const question = sends
	? `Send ${list.campaign} to ${sends === 1 ? '1 person' : `${sends} people`}? 发送给 ${sends} 人？`
	: `Send ${list.campaign} again? 再次发送？`;
const details = cover + facts.map(escaped).join('\n');
const json = { step, question, details, options, wrong: wrong.slice(0, 50), askedAt: Date.now() };
return [{ json }];
