// What somebody is asked, in two languages. What the node would refuse is counted before.
const { list } = $('Who Is Due').first().json;
const { video, seconds, leftAlone, excluded, unwantedName, withoutToId, more, tester } = list;
const due = $('Who Is Due').all();
const wrong = $input
	.all()
	.map(({ json }, at) => ({ toId: due[at].json.toId, reason: json.error?.message }))
	.filter(({ toId, reason }) => toId !== undefined && reason);
const ids = wrong.slice(0, 20).map(({ toId }) => `“${toId}”`);
const refused = `${ids.join(' ')}${wrong.length > 20 ? ' …' : ''}: ${wrong[0]?.reason}`;
const sends = list.count - wrong.length;
const got = Object.entries(leftAlone)
	.filter(([word]) => word.toLowerCase() === 'sent')
	.reduce((total, [, count]) => total + count, 0);
const others = Object.values(leftAlone).reduce((one, other) => one + other, 0) - got;
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
const length = inWords(seconds / 3600);
const facts = [
	video && [`Video 视频: ${video.channel}`, video.name || '?'],
	video?.hours !== undefined && [`caught ${age[0]} ago`, `${age[1]}前收到`],
	video?.hours >= 120 && [
		'⚠ Its links may have expired: send it from the phone again',
		'链接可能已失效，请用手机重新发送',
	],
	got && [`${got} got it before`, `${got} 人已收到`],
	others && [`${others} left out: status`, `${others} 人因状态跳过`],
	[`${excluded} left out: ${unwantedName}`, `${excluded} 人在免打扰名单`],
	list.isUnprotected && [`⚠ The ${list.place.kind} ${unwantedName} is empty`, '免打扰名单为空'],
	withoutToId && [`${withoutToId} left out: no toId`, `${withoutToId} 行没有 toId`],
	wrong.length && [`${wrong.length} left out: refused`, `${wrong.length} 个有误`, refused],
	more && [`${more} left for the next run`, `${more} 人留到下次`],
	seconds >= 10 && [`It takes about ${length[0]}`, `约需 ${length[1]}`],
	tester
		? [`${tester} just got the video: does it look right?`, '已先发给自己，显示正常吗？']
		: ['⚠ Nobody sees it before: testRecipient in Campaign is empty', '没有人先看过'],
].filter((fact) => fact);
// Names come from outside, and n8n takes the text for HTML.
const text = (fact) => fact.join(' · ').replace(/[<&]/g, (sign) => `&#${sign.charCodeAt()};`);
const step = list.count === 0 ? 'nobody' : !list.asks ? 'send' : tester ? 'rehearse' : 'ask';
const people = sends === 1 ? '1 person' : `${sends} people`;
const question = `Send ${list.campaignName} to ${people}? 发送给 ${sends} 人？`;
const details = facts.map(text).join('\n');
return [{ json: { step, question, details } }];
