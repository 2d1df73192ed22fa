// When it happened: seconds, milliseconds, microseconds or nanoseconds, or a date with a time, which is
// in the workflow's zone if it names none. Anything else counts as now.
const text = `${$json.time ?? ''}`.trim();
const isTime = (ms) => ms >= 1e12 && ms < 1e13; // from 2001 to 2286
const counted = [1000, 1, 1e-3, 1e-6].map((unit) => Number(text) * unit).find(isTime);

const DAY = '(\\d{4})[-/.年]?(\\d\\d?)[-/.月]?(\\d\\d?)日?';
const TIME = '(\\d\\d?):?(\\d\\d)(?::?(\\d\\d)(?:[.,](\\d+))?)?';
const ZONE = '((?:Z|UTC|GMT)?(?:([+-])(\\d\\d?):?(\\d\\d)?(?: [A-Z]+)?)?)';
// The zone's name may follow. With anything else, such as PM, it is not this time.
const DATE = new RegExp(`^${DAY}[T\\s,]*${TIME}\\s*${ZONE}\\s*(?:[[(].*)?$`, 'i');
const dated = () => {
	const found = DATE.exec(text);
	if (!found) return undefined;
	const two = (part) => (part ?? '').padStart(2, '0');
	const [, year, month, day, hour, minute, second, fraction = '', zone, sign, h = 0, m = 0] = found;
	const date = [year, two(month), two(day)].join('-');
	const time = [two(hour), minute, two(second)].join(':');
	const offset = zone ? Number(`${sign ?? '+'}1`) * (h * 60 + Number(m)) : $now.offset;
	return Date.parse(`${date}T${time}.${fraction.slice(0, 3).padEnd(3, '0')}Z`) - offset * 60_000;
};
const ms = counted ?? dated();
return (isTime(ms) ? new Date(ms) : new Date()).toISOString();
