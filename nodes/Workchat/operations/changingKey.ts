/**
 * Parts of an expression whose value changes with every run, or with the order of the items: `$execution.id`,
 * `$executionId`, but not `$execution.mode`; `$runIndex`, `$thisItemIndex`, `$prevNode?.runIndex`.
 */
const CHANGING =
	/\$execution\w*(?!\w|\??\.(?:mode|customData)\b)|\$(?:this|prevNode\??\.)?(?:item|run)Index\b|Math\.random|\.randomItem\(/i;
/**
 * The present time: `$now`, `new Date`, `new Date()`, `Date.now()`, `DateTime.local({ zone: 'utc' })`; but
 * not a fixed one: `new Date(0)`, `DateTime.utc(2030)`.
 */
const NOW =
	/\$now\b|\bnew Date\b(?!\s*\(\s*[^\s)])|\bDate(?:\.now\b|\(\s*\))|\bDateTime\.(?:now|local|utc)\b(?!\(\s*[^\s){])/;

/** The end of an expression for the present day, week, month or year. */
const DATE_ONLY = [
	// `$now.startOf('week')`, and n8n's own `beginningOf`.
	/\.(?:startOf|endOf|beginningOf)\(\s*['"`](?:day|week|month|quarter|year)/,
	// `$now.toFormat('yyyy-MM')`: all letters that Luxon's formats have for a day or longer.
	/\.(?:toFormat|format)\(\s*['"`](?:[GyqLMkWodEcnD]|[^a-zA-Z'"`])*['"`]/,
	/\.to(?:(?:ISO|ISOWeek|SQL)Date|(?:Locale)?DateString)\([^(){}]*\)/,
	// `new Date().toISOString().slice(0, 7)`, `$now.toISO().split('T')[0]`.
	/\.to(?:ISO|ISOString|JSON)\(\)\.(?:(?:slice|substring|substr)\(0,\s*(?:\d|10)\)|split\(['"`]T['"`]\)\[0\])/,
	// `$now.weekNumber`, `new Date().getMonth()`.
	/\.(?:day|week(?:day|Number|Year)|month|quarter|year|ordinal)(?:Long|Short)?\b(?!\()/,
	/\.get(?:UTC)?(?:Date|Day|Month|FullYear)\(\)/,
];
const CALL = '\\([^()]*\\)';
const METHODS = `(?:\\??\\.\\w+${CALL})*?`;
/** `$now.setZone('utc').toISODate()`, `(new Date()).getMonth()`. */
const TODAY = new RegExp(
	`(?:${NOW.source})(?:${CALL})?\\)?${METHODS}(?:${DATE_ONLY.map(({ source }) => source).join('|')})`,
	'g',
);

/**
 * Finds a part of a key's expression that may change with every run, such as `$execution`. Only the
 * text is read: what is not known to be the same for a whole day counts as changing.
 */
export function findChangingPart(expression: string): string | undefined {
	const [changing] = CHANGING.exec(expression) ?? [];
	const withoutToday = expression.replace(TODAY, '');
	const [now] = NOW.exec(withoutToday) ?? [];
	return changing ?? now;
}
