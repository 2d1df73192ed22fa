import type { Draw } from '../draw';
import { OF_A_DOWNLOAD, SECRETS, tellingPath } from './secrets';
import { sends } from './sends';
import {
	answer,
	DONE,
	envelope,
	JSON_HEADERS,
	PAGE,
	REFUSED,
	type Ending,
	type Outcome,
	type Step,
} from './step';

/** What a service may answer to a download, with the file or something that passes for it. */

type Maker = (draw: Draw, content: Buffer) => Step;

/** In a body, the stand-in writes its own link here. */
export const LINK = '<link>';

const FAILED: Outcome[] = ['rejected', 'unknown'];
const MAGIC = ['89504e470d0a1a0a', '00000018667479706d703432', '255044462d312e37', 'ffd8ffe0'];
/** The beginning of nothing that is known. */
const UNKNOWN = '00ff';

export function contentOf(draw: Draw): Buffer {
	const pattern = Array.from({ length: 97 }, () => draw.integer(0, 255));
	const magic = draw.pick([...MAGIC, UNKNOWN]);
	// As base64, what is unknown is only known to be content by its length.
	const size = draw.pick([...(magic === UNKNOWN ? [] : [20, 511, 512, 513, 700]), 5000, 20_000]);
	return Buffer.concat([Buffer.from(magic, 'hex'), Buffer.alloc(size, Buffer.from(pattern))]);
}

const DISPOSITIONS = [
	'attachment',
	'attachment; filename="video.mp4"',
	'inline; filename="../../video.mp4"',
	"attachment; filename*=UTF-8''%E2%80%AEfile.bin",
	'attachment; filename="CON"',
	`attachment; filename="${'a'.repeat(5000)}"`,
	`attachment; ${'filename '.repeat(1000)}`,
];

const file: Maker = (draw, content) =>
	answer('file', ['sent'], {
		headers: {
			'content-type': draw.pick(['application/octet-stream', 'video/mp4', 'image/png']),
			...(draw.chance(0.5) && { 'content-disposition': draw.pick(DISPOSITIONS) }),
		},
		body: content,
	});
const tricklingFile: Maker = (draw, content) => ({
	...file(draw, content),
	label: 'file, trickling',
	ending: 'trickle',
});

function withData(label: string, data: unknown, outcomes = FAILED): Step {
	return answer(label, outcomes, { body: envelope({ ...DONE, data: JSON.stringify(data) }) });
}

const inData: Maker = (draw, content) => {
	const base64 = content.toString('base64');
	const value = draw.pick([base64, `data:video/mp4;base64,${base64}`]);
	const data = draw.pick([{ content: value }, { file: { inner: [value] } }]);
	return withData('file in data', data, ['sent']);
};

/** Neither a file nor an envelope of success, whatever it calls itself. */
function failed(label: string, step: Partial<Step>): Step {
	return answer(label, FAILED, { headers: {}, ...step });
}

const posing: Maker = (draw) => {
	const named = draw.pick(['attachment; filename="video.mp4"', 'inline; filename="video.mp4"']);
	const isPage = draw.chance(0.5);
	const headers = {
		'content-disposition': isPage ? named : draw.pick([named, 'attachment']),
		...(draw.chance(0.5) && { 'content-type': isPage ? 'text/html' : 'application/json' }),
	};
	return isPage
		? failed('page posing as a file', { headers, body: PAGE })
		: failed('refusal posing as a file', { headers, body: envelope(REFUSED) });
};

const page: Maker = (draw) =>
	failed('page', {
		status: draw.pick([200, 403, 404, 410, 500, 502]),
		headers: draw.pick<Record<string, string>>([
			{},
			{ 'content-type': 'text/html; charset=utf-8' },
		]),
		body: draw.pick([PAGE, `<!-- ${'-'.repeat(300)} -->${PAGE}`]),
	});

const noFile: Maker = (draw) =>
	withData(
		'no file in data',
		draw.pick<unknown>([
			{},
			null,
			7,
			[],
			{ [SECRETS.apiKey]: 1, [SECRETS.fileAeskey]: 2, [SECRETS.fileAuthkey]: 3 },
			{ [`https://example.com/?${SECRETS.query}`]: true },
			{ ['x'.repeat(20_000)]: 1 },
			{ toString: 1, a: { hasOwnProperty: null } },
		]),
	);

/** Texts that make careless code slow. Whether the first is a file is a matter of taste. */
const exhausting: Maker = (draw, content) => {
	const outcomes: Outcome[] = ['sent', ...FAILED];
	const comments = '<!---->'.repeat(22);
	const links = Array.from({ length: 25_000 }, (_, index) => `https://example.com/${index}`);
	return draw.pick([
		() => failed('many comments', { outcomes, body: `${comments}x` }),
		() => withData('long data URI', { file: `data:${'x'.repeat(60_000)}` }),
		() => withData('many links', links),
		() => ({
			...withData('link of dots', { url: `${LINK}/${'.'.repeat(40_000)}x` }),
			link: [{ ...file(draw, content), outcomes }],
		}),
	])();
};

const cut =
	(ending: Ending): Maker =>
	(draw, content) => ({
		...file(draw, content),
		label: `file: ${ending}`,
		outcomes: FAILED,
		ending,
	});
const empty: Maker = (draw) =>
	failed('empty', { headers: draw.pick<Record<string, string>>([{}, JSON_HEADERS]), body: '' });
const notSent: Maker = (draw) => {
	const step = draw.chance(0.1) ? sends.success(draw) : sends.trouble(draw, OF_A_DOWNLOAD);
	if (step.ending === 'bomb') return empty(draw, Buffer.of());
	// An answer to a message holds no file, but what is no envelope may be one.
	return { ...step, outcomes: step.label === 'no envelope' ? ['sent', ...FAILED] : FAILED };
};

const fileRedirect: Maker = (draw) =>
	failed('redirect of a file', {
		status: draw.pick([301, 302, 303, 307, 308]),
		headers: { location: `${LINK}/next` },
	});
const badRedirect: Maker = (draw) => {
	const location = draw.pick([
		`ftp://example.com/${tellingPath(draw, OF_A_DOWNLOAD)}?${SECRETS.linkQuery}`,
		'https://[',
		`http://127.0.0.1:1/?${SECRETS.linkQuery}`,
		`${LINK}?again`,
	]);
	return failed('redirect to nothing', { status: 302, headers: { location } });
};

const linkTroubles: Array<readonly [number, Maker]> = [
	[2, page],
	[2, posing],
	[2, cut('half')],
	[1, cut('drop')],
	[1, cut('dropAfterHead')],
	[1, cut('garbage')],
	[1, empty],
	[1, badRedirect],
];

function linked(draw: Draw, link: Step[]): Step {
	const url = draw.pick([LINK, `${LINK}?${SECRETS.linkQuery}`]);
	return { ...withData('link', draw.pick([{ url }, { file: { download: [url] } }, url])), link };
}

const linkedFile: Maker = (draw, content) => {
	const last = draw.chance(0.2) ? tricklingFile(draw, content) : file(draw, content);
	return linked(draw, draw.chance(0.3) ? [fileRedirect(draw, content), last] : [last]);
};

const successes: Array<readonly [number, Maker]> = [
	[3, file],
	[4, linkedFile],
	[3, inData],
];
const troubles: Array<readonly [number, Maker]> = [
	[3, posing],
	[2, page],
	[3, noFile],
	[0.2, exhausting],
	[2, cut('half')],
	[1, cut('drop')],
	[1, cut('garbage')],
	[1, empty],
	[5, notSent],
	[5, (draw, content) => linked(draw, [draw.weighted(linkTroubles)(draw, content)])],
];
const HANGING_FILES = ['silent', 'stall', 'upgrade'] as const;

export const downloads = {
	success: (draw: Draw, content: Buffer) => draw.weighted(successes)(draw, content),
	trouble: (draw: Draw, content: Buffer) => draw.weighted(troubles)(draw, content),
	hanging: (draw: Draw, content: Buffer) => {
		const step = cut(draw.pick(HANGING_FILES))(draw, content);
		return draw.chance(0.5) ? step : linked(draw, [step]);
	},
};
