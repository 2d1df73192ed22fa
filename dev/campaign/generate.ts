import type { Case, CaseItem, Cancelling, Line } from './case';
import { contentOf, downloads } from './downloads';
import { Draw } from './draw';
import { changingField, downloadFields, editOf, sendFields, settingsOf } from './parameters';
import { sends } from './sends';
import { hangs, type Step } from './step';

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
	const way = draw.weighted([
		[4, 'fields'],
		[4, 'json'],
		[2, 'input'],
	] as const);
	const mayChange = kind === 'send' && way !== 'input';
	const changing = mayChange && draw.chance(0.3) ? changingField(draw) : undefined;
	const chosen = {
		fields: kind === 'download' ? downloadFields() : sendFields(draw, items, changing?.field),
		way,
		simplify: draw.chance(0.5),
		options,
	};
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
		settings: settingsOf(kind, chosen),
		...(way === 'input' && { fieldsInItems: chosen.fields }),
		mayComeOutEmpty: changing?.mayComeOutEmpty === true,
		retries,
		...(hasChain &&
			kind === 'send' &&
			// Whether that is the same message then, chance decides.
			!changing?.mayComeOutEmpty &&
			draw.chance(0.4) && { edited: editOf(draw, chosen, retries) }),
		recoversFrom: hasChain && draw.chance(0.4) ? draw.integer(1, retries) : Infinity,
		...(draw.chance(0.12) && { cancelling: cancellingOf(draw, items.length) }),
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
