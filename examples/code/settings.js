// What somebody filled in, on the page or for the schedule.
const settings = $('Settings').first().json;
const fail = (text) => {
	throw new Error(`Nothing was sent. ${text}`);
};
const { campaign, secondsBetween, mostPerRun } = settings;
const isPage = $('Campaign Form').isExecuted;
const isPace = Number.isFinite(secondsBetween) && secondsBetween >= 0 && secondsBetween <= 86_400;
if (!isPace) fail('In Settings, secondsBetween has to be a number from 0 to 86400, such as 2.');
if (!(mostPerRun >= 1)) fail('In Settings, mostPerRun has to be a number of 1 or more.');
if (!campaign) fail('The campaign has no name 活动没有名称.');
if (['feed-videos', 'do-not-contact', 'forward-to'].includes(plain(campaign))) {
	fail(`The table ${campaign} is no campaign's: give it another name 该名称已被占用，请换一个.`);
}
const { dryRun = false } = $('Send Feed Video').params.options;
if (dryRun !== false) fail('Take the option Dry Run off Send Feed Video: answer No instead.');
