import { Draw } from './draw';
import { changingField, downloadFields, edited, parametersOf, sendFields } from './parameters';
import {
	chainOf,
	DRY_BY_ITEM,
	type EngineName,
	type Line,
	type Options,
	type Plan,
	type PlannedItem,
	type PlannedRun,
	type Trouble,
} from './plan';
import { contentOf, downloads } from './service/downloads';
import { sends } from './service/sends';
import { hangs, type Step } from './service/step';

const MOST_HANGING_STEPS = 3;
const LONG = 10_000;

const KINDS = [
	[80, 'send'],
	[7, 'tool'],
	[13, 'download'],
] as const;
const LINES = [
	[93, 'http'],
	[4, 'https'],
	[1, 'dead'],
	[0.5, 'plainPort'],
	[0.5, 'closes'],
	[0.5, 'closesTls'],
] as const;

const ON_ERROR = [
	'stopWorkflow',
	'stopWorkflow',
	'continueRegularOutput',
	'continueErrorOutput',
] as const;

/** The plan of this number: always the same for an engine and a seed. */
export function drawPlan(engine: EngineName, seed: number, number: number): Plan {
	const draw = new Draw(seed, number);
	return engine === 'real' ? realPlan(draw, number) : simulatedPlan(draw, number);
}

/** One after the other, with every kind of parameters and answers. */
function realPlan(draw: Draw, number: number): Plan {
	const kind = draw.weighted(KINDS);
	const line = kind === 'send' ? draw.weighted(LINES) : 'http';
	const items = hostileItems(draw, number, kind, line);
	const options: Options = {
		...optionsOf(draw),
		maxConcurrency: draw.pick([1, draw.integer(2, 4), draw.integer(2, 12)]),
		resendUnknown: kind !== 'download' && draw.chance(0.2),
		timeout: items.some(({ script }) => script.some(hangs)) ? draw.integer(250, 400) : LONG,
	};
	const way = draw.pick(['fields', 'fields', 'json', 'json', 'input'] as const);
	const mayChange = kind === 'send' && way !== 'input' && draw.chance(0.3);
	const changing = mayChange ? changingField(draw) : undefined;
	const fields = kind === 'download' ? downloadFields() : sendFields(draw, items, changing?.field);
	const chosen = { kind, fields, way, simplify: draw.chance(0.5), options };
	const first: PlannedRun = {
		...execution,
		parameters: parametersOf(chosen),
		options,
		onError: draw.pick(ON_ERROR),
	};
	const retries = kind === 'download' ? draw.integer(0, 1) : draw.integer(0, 3);
	// Whether that is the same message then, chance decides.
	const mayBeEdited = kind === 'send' && !changing?.mayComeOutEmpty;
	const later = mayBeEdited && draw.chance(0.4) ? { ...first, ...edited(draw, chosen) } : first;
	const editedFrom = draw.integer(1, Math.max(1, retries));
	const calmFrom = draw.chance(0.4) ? draw.integer(1, Math.max(1, retries)) : Infinity;
	const runs = Array.from({ length: retries + 1 }, (_, index) => ({
		...(index >= editedFrom ? later : first),
		retryOf: index > 0 ? index - 1 : undefined,
		isCalm: index >= calmFrom,
	}));
	if (draw.chance(0.12)) {
		draw.pick(runs).cancel = {
			requests: draw.integer(1, items.length + 2),
			delay: draw.pick([0, 0, 0, 1, 5, 30]),
		};
	}
	const indexes = [...items.keys()];
	return {
		number,
		kind,
		line,
		items,
		// A model calls with the same again, at once or later.
		inputs:
			kind === 'tool'
				? Array.from({ length: draw.integer(2, 7) }, () => draw.pick(indexes))
				: indexes,
		retryOnFail: draw.chance(0.5),
		maxNodeTries: draw.integer(2, 5),
		...(way === 'input' && { fieldsInItems: fields }),
		mayComeOutEmpty: changing?.mayComeOutEmpty === true,
		runs,
	};
}

const execution = { edition: 0, isCalm: false, at: 0, process: 0 };

function optionsOf(draw: Draw): Pick<Options, 'maxTries' | 'requestInterval'> {
	return { maxTries: draw.integer(1, 3), requestInterval: draw.pick([0, 0, 0, 1, 2]) };
}

function hostileItems(draw: Draw, number: number, kind: Plan['kind'], line: Line): PlannedItem[] {
	const most = kind === 'send' ? draw.pick([3, 6, 12]) : 4;
	const recipients = draw.integer(1, 4);
	let hangingLeft = line === 'http' && draw.chance(0.06) ? MOST_HANGING_STEPS : 0;
	return Array.from({ length: draw.integer(1, most) }, (_, index) => {
		const content = kind === 'download' ? contentOf(draw) : undefined;
		const script = hostileScript(draw, line, content, hangingLeft > 0);
		hangingLeft -= script.filter(hangs).length;
		// Without an address the item cannot be sent.
		const isLost = kind !== 'download' && draw.chance(0.01);
		const toId = isLost ? '' : `c${number}r${draw.integer(1, recipients)}`;
		return { marker: `c${number}i${index}`, toId, script, ...(content && { content }) };
	});
}

function hostileScript(draw: Draw, line: Line, content: Buffer | undefined, mayHang: boolean) {
	const length = draw.pick([0, 0, 1, 1, 1, 2, 2, 3, 4]);
	const troubles = Array.from({ length }, (_, index): Step => {
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

/** Several at once, with a memory that fails; and at last one more of each, when all is well again. */
function simulatedPlan(draw: Draw, number: number): Plan {
	const hasKeys = draw.chance(0.5);
	const span = draw.pick([300, 1500, 6000]);
	const rows = Math.round(300 ** draw.next());
	const trouble = troubleOf(draw, span, hasKeys);
	const failing = draw.chance(0.6) ? draw.next() * 0.4 : 0;
	const items = Array.from({ length: rows }, (_, index): PlannedItem => {
		const script: Step[] = [];
		while (draw.chance(failing)) script.push(sends.plainTrouble(draw));
		const recipient = draw.chance(0.1) ? draw.integer(0, rows) : index;
		const isDry = draw.chance(0.3);
		script.push(sends.plain);
		return { marker: `i${index}`, toId: `customer-${recipient}`, script, isDry };
	});
	const fields = sendFields(draw, items);
	const keys = draw.chance(0.3) ? ['spring', 'summer'] : ['spring'];
	const resends = draw.chance(0.25);
	const runOf = (more: Partial<Options>): Pick<PlannedRun, 'options' | 'parameters'> => {
		const options = {
			...optionsOf(draw),
			maxConcurrency: Math.round(200 ** draw.next()),
			resendUnknown: false,
			timeout: LONG,
			...more,
		};
		return {
			options,
			parameters: parametersOf({ kind: 'send', fields, way: 'fields', simplify: false, options }),
		};
	};
	const count = draw.integer(1, 4);
	const isRetried = !hasKeys || draw.chance(0.3);
	const runs: PlannedRun[] = [];
	for (let index = 0; index < count; index++) {
		const retryOf = index > 0 && isRetried ? draw.integer(0, index - 1) : undefined;
		const sendOnceKey = runs[retryOf ?? NaN]?.options.sendOnceKey ?? draw.pick(keys);
		// Of a dry run, there is nothing to retry.
		const mayBeDry = (hasKeys || index > 0) && draw.chance(0.2);
		const dryRun = draw.pick([true, DRY_BY_ITEM] as const);
		runs.push({
			...execution,
			...runOf({
				resendUnknown: resends && draw.chance(0.5),
				...(hasKeys && { sendOnceKey }),
				...(mayBeDry && { dryRun }),
			}),
			onError: draw.pick(['stopWorkflow', 'continueRegularOutput'] as const),
			retryOf,
			...(draw.chance(0.15) && {
				cancel: { requests: draw.pick([0, 0, 1, rows]), delay: draw.integer(0, span) },
			}),
			at: index > 0 ? draw.integer(0, span) : 0,
			process: draw.integer(0, trouble.processes - 1),
		});
	}
	/** The last one of each, by its key or where its Retries go back to. */
	const ends = new Map(
		runs.flatMap(({ options: { sendOnceKey, dryRun } }, index) =>
			sendOnceKey || !dryRun ? [[sendOnceKey ?? chainOf(runs, index)[0], index]] : [],
		),
	);
	const last = [...ends.values()].map((index): PlannedRun => {
		const { sendOnceKey } = runs[index]?.options ?? {};
		return {
			...execution,
			...runOf({ maxConcurrency: 10, ...(sendOnceKey && { sendOnceKey }) }),
			onError: 'continueRegularOutput',
			retryOf: sendOnceKey ? undefined : index,
			isCalm: true,
			process: trouble.processes,
		};
	});
	return {
		number,
		kind: 'send',
		line: 'http',
		items,
		inputs: items.map((_, index) => (draw.chance(0.05) ? draw.integer(0, index) : index)),
		retryOnFail: draw.chance(0.2),
		maxNodeTries: 2,
		mayComeOutEmpty: false,
		runs: [...runs, ...last],
		trouble,
	};
}

function troubleOf(draw: Draw, span: number, hasKeys: boolean): Trouble {
	const processes = draw.integer(1, 3);
	const moment = () => ({ at: draw.integer(0, span), process: draw.integer(0, processes - 1) });
	/** A few long ones, or the many short ones of a busy machine. */
	const pauses = () => {
		const isBusy = draw.chance(0.4);
		const [least, most] = isBusy ? [20, 600] : [200, 8000];
		return Array.from({ length: isBusy ? draw.integer(5, 40) : draw.integer(1, 3) }, () => ({
			...moment(),
			lasts: draw.integer(least, most),
		}));
	};
	const isFaulty = draw.chance(0.5);
	const rarely = (probability: number) =>
		isFaulty && draw.chance(0.4) ? draw.next() * probability : 0;
	const outage = draw.integer(0, span);
	return {
		processes,
		failsBefore: !hasKeys && draw.chance(0.2),
		kills: draw.chance(0.25) ? [moment()] : [],
		pauses: draw.chance(0.3) ? pauses() : [],
		memory: {
			latency: draw.pick([1, 5, 20]),
			slow: rarely(0.05),
			failsBefore: rarely(0.3),
			failsAfter: rarely(0.3),
			late: rarely(0.02),
			...(isFaulty &&
				draw.chance(0.2) && { outage: { from: outage, to: outage + draw.integer(50, 8000) } }),
		},
		latency: draw.pick([5, 50, 400]),
	};
}
