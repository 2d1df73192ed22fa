// Which video: the one that Campaign names, or, where a person is asked, the last of the account's own.
const FEED_VIDEO =
	'channelName channelUrl coverUrl encodeData headImgUrl feedId feedNo username'.split(' ');
const COLUMNS = { ...strings('name', ...FEED_VIDEO, 'from'), caughtAt: 'date' };
tableOf('feed-videos', COLUMNS, 'Create Feed-Videos If Missing', ANEW);
const videoOf = () => {
	const videos = rowsOf('Get Feed Videos');
	const names = videos.map(({ id, name }) => clean(name) || `row ${id}, which has no name`);
	const there = names.length
		? `The table feed-videos has: ${names.slice(-20).reverse().join(', ')}.`
		: 'The table feed-videos is empty: send the video from the account’s own phone into any chat while the recipe "Catch a feed video" is published.';
	const wanted = plain(campaign.video);
	if (!wanted && !isClick) {
		fail(`Where nobody is asked, video in Campaign has to name one. ${there}`);
	}
	const found = wanted
		? videos.filter(({ name }) => plain(name) === wanted)
		: videos
				.filter(({ from, caughtAt }) => from === 'own' && caughtAt)
				.sort((one, other) => new Date(other.caughtAt) - new Date(one.caughtAt))
				.slice(0, 1);
	if (found.length === 0) {
		fail(
			wanted
				? `No video has the name ${campaign.video}, which stands in Campaign. ${there}`
				: `In Campaign, video is empty, and there is none that the account itself sent. ${there}`,
		);
	}
	if (found.length > 1) {
		const ids = found.map(({ id }) => id).join(', ');
		fail(
			`${found.length} videos have the name ${campaign.video}: rows ${ids}. Rename all but one.`,
		);
	}
	const [video] = found;
	const missing = FEED_VIDEO.filter((field) => !clean(video[field]));
	if (missing.length > 0) {
		fail(`The video ${clean(video.name) || `in row ${video.id}`} lacks ${missing.join(', ')}.`);
	}
	return {
		name: clean(video.name),
		channel: clean(video.channelName),
		hours: video.caughtAt ? (Date.now() - new Date(video.caughtAt)) / 3_600_000 : undefined,
		feedVideo: Object.fromEntries(FEED_VIDEO.map((field) => [field, video[field]])),
	};
};
