// The settings, of the form or for the schedule.
const settings = $('Settings').first().json;
// In both languages; the page shows one of them.
const fail = (english, chinese = english) => {
	throw new Error(`${english}｜${chinese}`);
};
const { campaign, secondsBetween, mostPerRun } = settings;
const isPage = $('Campaign Form').isExecuted;
const isPace = Number.isFinite(secondsBetween) && secondsBetween >= 0 && secondsBetween <= 86_400;
if (!isPace) {
	fail(
		'In Settings, secondsBetween must be a number from 0 to 86400, such as 2.',
		'Settings 中的 secondsBetween 应为 0 到 86400 之间的数字，例如 2。',
	);
}
if (!(mostPerRun >= 1)) {
	fail(
		'In Settings, mostPerRun must be a number of 1 or more.',
		'Settings 中的 mostPerRun 应为不小于 1 的数字。',
	);
}
if (!campaign) fail('The campaign has no name.', '活动没有名称。');
if (/^(feed-videos|do-not-contact|forward-to)$|campaign-pages/.test(plain(campaign))) {
	fail(
		`The name ${campaign} is reserved. Choose another one.`,
		`名称 ${campaign} 不能使用，请换一个。`,
	);
}
const { dryRun = false } = $('Send Feed Video').params.options;
if (dryRun !== false) {
	fail(
		'Remove the option Dry Run from Send Feed Video.',
		'请移除 Send Feed Video 的选项 Dry Run。',
	);
}
