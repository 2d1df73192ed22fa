// Which video: the one that is named, or, where a person is asked, the last of the account's own.
const FEED_VIDEO =
	'channelName channelUrl coverUrl encodeData headImgUrl feedId feedNo username'.split(' ');
const PUBLISH = [
	'Publish the recipe "What comes in". Then send the video from the account’s own phone to any chat.',
	'请先发布“What comes in”，再用账号的手机把视频发到任意聊天。',
];
tableOf('feed-videos', { ...strings('name', ...FEED_VIDEO, 'from'), caughtAt: 'date' }, ...PUBLISH);
/** @param row of the video that somebody said Yes to */
const videoOf = (row) => {
	const videos = rowsOf('Get Feed Videos');
	const names = videos.map(({ id, name }) => clean(name) || `row ${id}, which has no name`);
	const all = names.slice(-20).reverse().join(', ');
	const there = all
		? [`The table feed-videos has: ${all}.`, `数据表 feed-videos 中有：${all}。`]
		: [
				`The table feed-videos of this project is empty; each user has tables of their own. ${PUBLISH[0]}`,
				`本项目的数据表 feed-videos 是空的（每个用户有自己的数据表）。${PUBLISH[1]}`,
			];
	const none = (english, chinese) => fail(`${english} ${there[0]}`, `${chinese}${there[1]}`);
	const wanted = plain(settings.video);
	if (!wanted && !isPage && !row)
		none('The schedule needs the name of a video.', '定时发送需要指定视频名称。');
	const own = videos
		.filter(({ from, caughtAt }) => from === 'own' && caughtAt)
		.sort((one, other) => new Date(other.caughtAt) - new Date(one.caughtAt));
	const isWanted = row ? ({ id }) => id === row : ({ name }) => plain(name) === wanted;
	const found = wanted || row ? videos.filter(isWanted) : own.slice(0, 1);
	const [video] = found;
	if (!video && row)
		fail('The video is no longer in the table feed-videos.', '视频已不在数据表 feed-videos 中。');
	if (!video && wanted)
		none(`No video is called ${settings.video}.`, `没有名为 ${settings.video} 的视频。`);
	if (!video)
		none(
			'No video is named, and the account itself sent none.',
			'没有指定视频，账号也没有发过视频。',
		);
	if (found.length > 1) {
		const ids = found.map(({ id }) => id).join(', ');
		fail(
			`${found.length} videos have the name ${video.name}: rows ${ids}. Rename all but one.`,
			`有 ${found.length} 个视频名为 ${video.name}（第 ${ids} 行），请改名，只保留一个。`,
		);
	}
	const missing = FEED_VIDEO.filter((field) => !clean(video[field]));
	if (missing.length > 0) {
		const fields = missing.join(', ');
		fail(
			`The video ${video.name ?? ''} lacks ${fields}.`,
			`视频 ${video.name ?? ''} 缺少 ${fields}。`,
		);
	}
	return {
		row: video.id,
		name: clean(video.name),
		channel: clean(video.channelName),
		cover: clean(video.coverUrl),
		account: !wanted && new Set(own.map(({ account }) => account)).size > 1 && video.account,
		hours: video.caughtAt ? (Date.now() - new Date(video.caughtAt)) / 3_600_000 : undefined,
		feedVideo: Object.fromEntries(FEED_VIDEO.map((field) => [field, video[field]])),
	};
};
