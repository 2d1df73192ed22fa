/** Parts of an expression whose value changes with every run, or with the order of the items. */
const CHANGING =
	/\$execution\w*(?!\w|\??\.(?:mode|customData)\b)|\$(?:this|prevNode\??\.)?(?:item|run)Index\b|Math\.random|\.randomItem\(/i;
/** The present time, but not a certain one, such as `new Date(0)`. */
const NOW =
	/\$now\b|\bnew Date\b(?!\s*\(\s*[^\s)])|\bDate\.now\b|\bDateTime\.(?:now|local|utc)\b(?!\(\s*[^\s){])/;

/** What changes once a day at most. All letters of a format are Luxon's for a day or longer. */
const DATE = [
	/\.(?:startOf|endOf|beginningOf)\(\s*['"`](?:day|week|month|quarter|year)/,
	/\.(?:toFormat|format)\(\s*['"`](?:[GyqLMkWodEcnD]|[^a-zA-Z'"`])*['"`]/,
	/\.to(?:(?:ISO|ISOWeek|SQL)Date|(?:Locale)?DateString)\([^(){}]*\)/,
	/\.(?:toISO|toISOString|toString|toJSON)\(\)\.(?:slice|substring|substr)\(0,\s*(?:\d|10)\)/,
	/\.(?:toISO|toISOString|toJSON)\(\)\.split\(['"`]T['"`]\)\[0\]/,
	/\.(?:day|week(?:day|Number|Year)|month|quarter|year|ordinal)(?:Long|Short)?\b(?!\()/,
	/\.get(?:UTC)?(?:Date|Day|Month|FullYear)\(\)/,
];
/** The present date: such as `$now.setZone('utc').toISODate()`, `(new Date()).getMonth()`. */
const TODAY = new RegExp(
	`(?:${NOW.source})(?:\\([^()]*\\))?\\)?(?:\\??\\.\\w+\\([^()]*\\))*?(?:${DATE.map(({ source }) => source).join('|')})`,
	'g',
);

/** Finds what makes a key change with every run, so that it prevents no duplicates: `$execution`. */
export function findChangingPart(expression: string): string | undefined {
	const [changing] = CHANGING.exec(expression) ?? [];
	const [now] = NOW.exec(expression.replace(TODAY, '')) ?? [];
	return changing ?? now;
}
