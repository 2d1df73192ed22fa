import { simulate } from './simulate';

/** Findings of a kind that are shown. */
const MOST_SHOWN = 5;

/** `npm run simulate -- PLANS FIRST_SEED` */
async function main([plans = '1000', first = '1']: string[]): Promise<void> {
	const counts = new Map<string, number>();
	const count = (what: string) => {
		const number = (counts.get(what) ?? 0) + 1;
		counts.set(what, number);
		return number;
	};
	for (let seed = Number(first); seed < Number(first) + Number(plans); seed++) {
		const { group, findings, broken } = await simulate(seed);
		count(group);
		for (const kind of new Set(findings.map((finding) => finding.kind))) {
			const finding = findings.find((one) => one.kind === kind);
			const isShown = count(`${group}: ${kind}`) <= MOST_SHOWN;
			if (isShown) print(`${seed} ${group}, ${kind}: ${finding?.text.slice(0, 200)}`);
		}
		if (broken.length > 0) process.exitCode = 1;
	}
	for (const [what, number] of [...counts].sort()) print(`${what}: ${number}`);
}

function print(line: string): void {
	process.stdout.write(`${line}\n`);
}

void main(process.argv.slice(2));
