import type { Case, CaseItem, Cancelling, Line, Settings } from './case';
import { contentOf, downloads } from './downloads';
import { Draw } from './draw';
import { SECRETS } from './secrets';
import { sends } from './sends';
import { hangs, type Step } from './step';

/** JSON can carry half a character; some functions throw where they meet one. */
const HALF_A_CHARACTER = '\ud83d';
const MOST_HANGING_STEPS = 3;
const LONG = 10_000;

/** The case of this number: always the same for a seed. */
export function generate(seed: number, number: number): Case {
	const draw = new Draw(seed, number);
	const kind = draw.weighted([
		[80, 'send'],
		[7, 'tool'],
		[13, 'download'],
	] as const);
	const line = lineOf(draw, kind);
	const hasHanging = line === 'http' && draw.chance(0.06);
	const items = itemsOf(draw, { number, kind, line, hasHanging });
	const timeout = items.some(({ script }) => script.some(hangs)) ? draw.integer(250, 400) : LONG;
	const options = {
		maxConcurrency: draw.weighted([
			[3, 1],
			[4, draw.integer(2, 4)],
			[2, draw.integer(5, 12)],
		]),
		maxTries: draw.integer(1, 3),
		requestInterval: draw.pick([0, 0, 0, 1, 2]),
		resendUnknown: kind !== 'download' && draw.chance(0.2),
		timeout,
	};
	const changing = kind === 'send' && draw.chance(0.3) ? changingField(draw) : undefined;
	const fields = kind === 'download' ? downloadFields() : sendFields(draw, items, changing);
	const simplify = draw.chance(0.5);
	const isJson = draw.chance(0.5);
	const settings = settingsOf(kind, fields, { isJson, simplify, options });
	const retries = kind === 'download' ? draw.integer(0, 1) : draw.integer(0, 3);
	const hasChain = retries > 0;
	return {
		number,
		kind,
		line,
		items,
		inputs: inputsOf(draw, kind, items),
		onError: draw.weighted([
			[2, 'stopWorkflow'],
			[1, 'continueRegularOutput'],
			[1, 'continueErrorOutput'],
		]),
		retryOnFail: draw.chance(0.5),
		maxNodeTries: draw.integer(2, 5),
		settings,
		retries,
		...(hasChain && kind === 'send' && draw.chance(0.4)
			? { edited: editOf(draw, { fields, isJson, simplify, options, changing, retries }) }
			: {}),
		recoversFrom: hasChain && draw.chance(0.4) ? draw.integer(1, retries) : Infinity,
		...(draw.chance(0.12) ? { cancelling: cancellingOf(draw, items.length) } : {}),
	};
}

function lineOf(draw: Draw, kind: Case['kind']): Line {
	if (kind !== 'send') return 'http';
	return draw.weighted([
		[93, 'http'],
		[4, 'https'],
		[1, 'dead'],
		[0.5, 'plainPort'],
		[0.5, 'closes'],
		[0.5, 'closesTls'],
	] as const);
}

interface About {
	number: number;
	kind: Case['kind'];
	line: Line;
	hasHanging: boolean;
}

function itemsOf(draw: Draw, about: About): CaseItem[] {
	const { number, kind } = about;
	const most = kind === 'send' ? draw.pick([3, 6, 12]) : 4;
	const recipients = draw.integer(1, 4);
	let hangingLeft = about.hasHanging ? MOST_HANGING_STEPS : 0;
	return Array.from({ length: draw.integer(1, most) }, (_, index) => {
		const content = kind === 'download' ? contentOf(draw) : undefined;
		const script = scriptOf(draw, { ...about, content, mayHang: hangingLeft > 0 });
		hangingLeft -= script.filter(hangs).length;
		return {
			marker: `c${number}i${index}`,
			// Without an address the item cannot be sent.
			toId:
				kind !== 'download' && draw.chance(0.01) ? '' : `c${number}r${draw.integer(1, recipients)}`,
			script,
			content,
		};
	});
}

function scriptOf(
	draw: Draw,
	{ line, content, mayHang }: About & { content?: Buffer; mayHang: boolean },
): Step[] {
	const length = draw.weighted([
		[4, 0],
		[5, 1],
		[3, 2],
		[2, 3],
		[1, 4],
	]);
	const troubles = Array.from({ length }, (_, index) => {
		if (mayHang && index === 0 && draw.chance(0.5)) {
			return content ? downloads.hanging(draw, content) : sends.hanging(draw);
		}
		if (content) return downloads.trouble(draw, content);
		if (line === 'https' && draw.chance(0.4)) return sends.plainIntoTls(draw);
		return sends.trouble(draw);
	});
	const last = troubles.at(-1);
	const goesOn = last && draw.chance(0.4) && !hangs(last) && last.ending !== 'bomb';
	if (goesOn) return troubles;
	return [...troubles, content ? downloads.success(draw, content) : sends.success(draw)];
}

function inputsOf(draw: Draw, kind: Case['kind'], items: CaseItem[]): number[] {
	const indexes = items.map((_, index) => index);
	if (kind !== 'tool') return indexes;
	// A model calls with the same again, at once or later.
	return Array.from({ length: draw.integer(2, 7) }, () => draw.pick(indexes));
}

function cancellingOf(draw: Draw, items: number): Cancelling {
	return { requests: draw.integer(1, items + 2), delay: draw.pick([0, 0, 0, 1, 5, 30]) };
}

const CHANGING = ['$now.toISO()', 'Math.random()', '$json.marker + Math.random()', '$execution.id'];
const CHANGING_FIELDS = ['channelName', 'feedId', 'username'];

/** A field that comes out differently each time it is read. */
function changingField(draw: Draw): Record<string, string> {
	return { [draw.pick(CHANGING_FIELDS)]: `={{ ${draw.pick(CHANGING)} }}` };
}

function sendFields(
	draw: Draw,
	items: CaseItem[],
	changing: Record<string, string> = {},
): Record<string, string> {
	// A service that repeats the value would repeat the half character in ways of its own.
	const isRepeated = items.some(({ script }) =>
		script.some(({ body, headers }) => /fakeEncode/.test(`${String(body)} ${headers?.location}`)),
	);
	const isHalved = draw.chance(0.1) && !isRepeated;
	return {
		channelName: 'Example Channel',
		channelUrl: 'https://example.com/channel',
		coverUrl: `https://example.com/cover.jpg?${SECRETS.query}`,
		encodeData: SECRETS.encodeData + (isHalved ? HALF_A_CHARACTER : ''),
		headImgUrl: 'https://example.com/head.jpg',
		feedId: 'fake-feed-id',
		username: 'fake-username',
		...changing,
		feedNo: '={{ $json.marker }}',
	};
}

function downloadFields(): Record<string, string | number> {
	return {
		fileAeskey: SECRETS.fileAeskey,
		fileAuthkey: SECRETS.fileAuthkey,
		fileSize: '={{ $json.size }}',
		fileType: 4,
		fileUrl: `={{ "https://example.com/" + $json.marker + "?" + ${JSON.stringify(SECRETS.query)} }}`,
	};
}

interface Chosen {
	isJson: boolean;
	simplify: boolean;
	options: Omit<Settings, 'parameters'> & { requestInterval: number };
}

function settingsOf(
	kind: Case['kind'],
	fields: Record<string, string | number>,
	{ isJson, simplify, options }: Chosen,
): Settings {
	const asObject = () => {
		const entries = Object.entries(fields).map(([name, value]) => {
			const expression = /^=\{\{(.*)\}\}$/s.exec(String(value))?.[1];
			return `${name}: ${expression ?? JSON.stringify(value)}`;
		});
		return `={{ ({ ${entries.join(', ')} }) }}`;
	};
	const parameters =
		kind === 'download'
			? {
					resource: 'file',
					operation: 'download',
					...(isJson ? { specifyFile: 'json', file: asObject() } : fields),
					simplify,
					options: { ...options, resendUnknown: undefined },
				}
			: {
					resource: 'message',
					operation: 'sendFeedVideo',
					toId: '={{ $json.toId }}',
					...(isJson ? { specifyFeedVideo: 'json', feedVideo: asObject() } : fields),
					simplify,
					options,
				};
	return { ...options, parameters };
}

interface Edited extends Chosen {
	fields: Record<string, string | number>;
	changing?: Record<string, string>;
	retries: number;
}

/** Somebody edits the workflow between two retries. */
function editOf(draw: Draw, { fields, changing, retries, ...chosen }: Edited): Case['edited'] {
	const from = draw.integer(1, retries);
	const edit = draw.pick(['options', 'resendUnknown', 'body']);
	const options = {
		...chosen.options,
		...(edit === 'options' && { maxConcurrency: chosen.options.maxConcurrency + 1 }),
		...(edit === 'resendUnknown' && { resendUnknown: true }),
	};
	const isChanged = JSON.stringify(options) !== JSON.stringify(chosen.options);
	const edited =
		edit === 'body' ? { ...fields, headImgUrl: 'https://example.com/new.jpg' } : fields;
	return {
		from,
		settings: settingsOf('send', edited, { ...chosen, options }),
		// Neither its parameters are as they were then, nor what came out of them.
		isOtherMessage: edit === 'body' || (isChanged && changing !== undefined),
	};
}
