import type { Draw } from './draw';
import type { Options, Plan, PlannedItem, PlannedRun } from './plan';
import { SECRETS } from './service/secrets';

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

export function sendFields(draw: Draw, items: PlannedItem[], changing: Fields = {}): Fields {
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
export function fieldsInItem(fields: Fields, { marker, content }: PlannedItem): Fields {
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
	kind: Plan['kind'];
	fields: Fields;
	/** How the fields are given: one by one, as one JSON object, or in the item itself. */
	way: 'fields' | 'json' | 'input';
	simplify: boolean;
	options: Options;
}

export function parametersOf({ kind, fields, way, simplify, options }: Chosen) {
	const [operation, specify, name] =
		kind === 'download'
			? [{ resource: 'file', operation: 'download' }, 'specifyFile', 'file']
			: [{ resource: 'message', operation: 'sendFeedVideo' }, 'specifyFeedVideo', 'feedVideo'];
	return {
		...operation,
		...(kind !== 'download' && { toId: '={{ $json.toId }}' }),
		...(way === 'fields' ? fields : { [specify]: way }),
		...(way === 'json' && { [name]: asObject(fields) }),
		simplify,
		options,
	};
}

function asObject(fields: Fields): string {
	const entries = Object.entries(fields).map(([name, value]) => {
		const expression = /^=\{\{(.*)\}\}$/s.exec(String(value))?.[1];
		return `${name}: ${expression ?? JSON.stringify(value)}`;
	});
	return `={{ ({ ${entries.join(', ')} }) }}`;
}

/** Somebody edits the workflow between two retries. */
export function edited(
	draw: Draw,
	chosen: Chosen,
): Pick<PlannedRun, 'parameters' | 'options' | 'edition'> {
	// What a Retry reads from the item is what the item was.
	const edits = ['options', 'resendUnknown', ...(chosen.way === 'input' ? [] : ['body'])];
	const edit = draw.pick(edits);
	const { maxConcurrency } = chosen.options;
	const options: Options = {
		...chosen.options,
		...(edit === 'options' && { maxConcurrency: maxConcurrency + 1 }),
		...(edit === 'resendUnknown' && { resendUnknown: true }),
	};
	const body = edit === 'body' && { headImgUrl: 'https://example.com/new.jpg' };
	const fields = { ...chosen.fields, ...body };
	// Options do not make a message another one.
	const edition = edit === 'body' ? 1 : 0;
	return { parameters: parametersOf({ ...chosen, fields, options }), options, edition };
}
