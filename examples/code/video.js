// Which video: the one that is named, or, where a person is asked, the last of the account's own.
const FEED_VIDEO =
	'channelName channelUrl coverUrl encodeData headImgUrl feedId feedNo username'.split(' ');
const PUBLISH =
	'Publish the recipe "What comes in", and send the video from the account’s own phone into any chat 请先发布“What comes in”，再用手机发送视频.';
tableOf('feed-videos', { ...strings('name', ...FEED_VIDEO, 'from'), caughtAt: 'date' }, PUBLISH);
const videoOf = () => {
	const videos = rowsOf('Get Feed Videos');
	const names = videos.map(({ id, name }) => clean(name) || `row ${id}, which has no name`);
	const there = names.length
		? `The table feed-videos has: ${names.slice(-20).reverse().join(', ')}.`
		: `The table feed-videos of this project is empty; each user has tables of their own 每个用户有自己的表. ${PUBLISH}`;
	const wanted = plain(settings.video);
	if (!wanted && !isPage) fail(`Where nobody is asked, a video has to be named. ${there}`);
	const own = videos
		.filter(({ from, caughtAt }) => from === 'own' && caughtAt)
		.sort((one, other) => new Date(other.caughtAt) - new Date(one.caughtAt));
	const found = wanted ? videos.filter(({ name }) => plain(name) === wanted) : own.slice(0, 1);
	const [video] = found;
	if (!video && wanted) fail(`No video has the name ${settings.video} 没有该视频. ${there}`);
	if (!video) fail(`No video is named, and the account itself sent none 没有可用的视频. ${there}`);
	if (found.length > 1) {
		const ids = found.map(({ id }) => id).join(', ');
		fail(`${found.length} videos have the name ${video.name}: rows ${ids}. Rename all but one.`);
	}
	const missing = FEED_VIDEO.filter((field) => !clean(video[field]));
	if (missing.length > 0) fail(`The video ${video.name ?? ''} lacks ${missing.join(', ')}.`);
	return {
		name: clean(video.name),
		channel: clean(video.channelName),
		cover: clean(video.coverUrl),
		account: !wanted && new Set(own.map(({ account }) => account)).size > 1 && video.account,
		hours: video.caughtAt ? (Date.now() - new Date(video.caughtAt)) / 3_600_000 : undefined,
		feedVideo: Object.fromEntries(FEED_VIDEO.map((field) => [field, video[field]])),
	};
};
