import type { Case, CaseItem, Settings } from './case';
import type { Draw } from './draw';
import { SECRETS } from './secrets';

/** JSON can carry half a character; some functions throw where they meet one. */
const HALF_A_CHARACTER = '\ud83d';

type Fields = Record<string, string | number>;

const COMES_OUT_EMPTY = 'Math.random() < 0.2 ? "" : "fake"';
const CHANGING = [
	'$now.toISO()',
	'Math.random()',
	'$json.marker + Math.random()',
	'$execution.id',
	COMES_OUT_EMPTY,
];
const CHANGING_FIELDS = ['channelName', 'feedId', 'username'];

/** A field that comes out differently each time it is read. */
export function changingField(draw: Draw): { field: Fields; mayComeOutEmpty: boolean } {
	const expression = draw.pick(CHANGING);
	return {
		field: { [draw.pick(CHANGING_FIELDS)]: `={{ ${expression} }}` },
		mayComeOutEmpty: expression === COMES_OUT_EMPTY,
	};
}

export function sendFields(draw: Draw, items: CaseItem[], changing: Fields = {}): Fields {
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

/** The fields as they stand in the item itself, with names as a spreadsheet may have them. */
export function fieldsInItem(fields: Fields, { marker, content }: CaseItem): Fields {
	const own: Fields = {
		feedNo: marker,
		fileSize: content?.length ?? 0,
		fileUrl: `https://example.com/${marker}?${SECRETS.query}`,
	};
	const inColumns = (name: string) => name.replace(/[A-Z]/g, (capital) => ` ${capital}`);
	return Object.fromEntries(
		Object.entries(fields).map(([name, value]) => [inColumns(name), own[name] ?? value]),
	);
}

export function downloadFields(): Fields {
	return {
		fileAeskey: SECRETS.fileAeskey,
		fileAuthkey: SECRETS.fileAuthkey,
		fileSize: '={{ $json.size }}',
		fileType: 4,
		fileUrl: `={{ "https://example.com/" + $json.marker + "?" + ${JSON.stringify(SECRETS.query)} }}`,
	};
}

interface Chosen {
	fields: Fields;
	/** How the fields are given: one by one, as one JSON object, or in the item itself. */
	way: 'fields' | 'json' | 'input';
	simplify: boolean;
	options: Omit<Settings, 'parameters'> & { requestInterval: number };
}

export function settingsOf(
	kind: Case['kind'],
	{ fields, way, simplify, options }: Chosen,
): Settings {
	const asObject = () => {
		const entries = Object.entries(fields).map(([name, value]) => {
			const expression = /^=\{\{(.*)\}\}$/s.exec(String(value))?.[1];
			return `${name}: ${expression ?? JSON.stringify(value)}`;
		});
		return `={{ ({ ${entries.join(', ')} }) }}`;
	};
	const specified = (specify: string, name: string) => {
		if (way === 'fields') return fields;
		return { [specify]: way, ...(way === 'json' && { [name]: asObject() }) };
	};
	const parameters =
		kind === 'download'
			? {
					resource: 'file',
					operation: 'download',
					...specified('specifyFile', 'file'),
					simplify,
					options: { ...options, resendUnknown: undefined },
				}
			: {
					resource: 'message',
					operation: 'sendFeedVideo',
					toId: '={{ $json.toId }}',
					...specified('specifyFeedVideo', 'feedVideo'),
					simplify,
					options,
				};
	return { ...options, parameters };
}

/** Somebody edits the workflow between two retries. */
export function editOf(
	draw: Draw,
	{ fields, options, ...chosen }: Chosen,
	retries: number,
): Case['edited'] {
	const from = draw.integer(1, retries);
	// What a Retry reads from the item is what the item was.
	const isFixed = chosen.way === 'input';
	const edit = draw.pick(['options', 'resendUnknown', ...(isFixed ? [] : ['body'])]);
	const edited: Chosen = {
		...chosen,
		fields: edit === 'body' ? { ...fields, headImgUrl: 'https://example.com/new.jpg' } : fields,
		options: {
			...options,
			...(edit === 'options' && { maxConcurrency: options.maxConcurrency + 1 }),
			...(edit === 'resendUnknown' && { resendUnknown: true }),
		},
	};
	// Options do not make a message another one.
	return { from, settings: settingsOf('send', edited), isOtherMessage: edit === 'body' };
}
