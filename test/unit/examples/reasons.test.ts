import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';

import { projectRoot } from '../../../dev/projectRoot';

/** What the node says of an ID, and the campaign's page in Chinese, too. */

const read = (...path: string[]) => readFileSync(join(projectRoot, ...path), 'utf8');
const { CHINESE, inBoth } = compileFunction(
	`${read('examples', 'code', 'reasons.js')}\nreturn { CHINESE, inBoth };`,
)() as { CHINESE: Array<[RegExp, string]>; inBoth: (reason: string) => string };

const FIELDS = ['nodes', 'Workchat', 'operations', 'fields'];
const OTHERS = /URL|above 0|^White space|^Long IDs/;
const said = ['mistakes.ts', 'readValue.ts', 'fieldRemarks.ts']
	.flatMap((name) => [...read(...FIELDS, name).matchAll(/(?<=[[\s(])'(\w+ [^'\n]* [^'\n]*)'/g)])
	.map(([, words]) => words!)
	.filter((words) => !OTHERS.test(words));

test.each(said)('the page of a campaign translates "%s"', (words) =>
	expect(inBoth(words)).toMatch(/\p{Script=Han}/u),
);

test('every Chinese reason translates a text of the node', () => {
	const unused = CHINESE.flatMap(([{ source }]) => source.split('|')).filter(
		(part) => !said.some((words) => words.includes(part)),
	);
	expect(unused).toEqual([]);
});
