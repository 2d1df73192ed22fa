import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';

import { projectRoot } from '../../../dev/projectRoot';

/** The page of a campaign has all of its texts in English and in Chinese. */

const read = (...path: string[]) => readFileSync(join(projectRoot, ...path), 'utf8');
const code = read('examples', 'code', 'page', 'words.js');
const inChinese = compileFunction(`${code}\nreturn { WORDS, REASONS, oneOf };`, ['language'])(
	'zh',
) as {
	WORDS: Record<string, [string, string]>;
	REASONS: Array<[RegExp, string]>;
	oneOf: (text: string) => string;
};

const nodes = (...path: string[]) => read('nodes', 'Workchat', ...path);
const FIELDS = ['mistakes.ts', 'checkFields.ts', 'readValue.ts'].map((name) =>
	nodes('operations', 'fields', name),
);
const OTHERS = /URL|above 0|^Correct these|^Long IDs/;
const aboutIds = FIELDS.flatMap((text) => [...text.matchAll(/(?<=[[\s(])'(\w+ [^'\n]* [^'\n]*)'/g)])
	.map(([, words]) => words!)
	.filter((words) => !OTHERS.test(words));

test.each(aboutIds)('the Chinese page explains in Chinese: %s', (text) =>
	expect(inChinese.oneOf(text)).toMatch(/\p{Script=Han}/u),
);

test("the Chinese page keeps the service's own words", () => {
	const reason = 'The Workchat service refused: example reason (code 123, request ID svc_1)';
	expect(inChinese.oneOf(reason)).toBe('服务拒绝: example reason (code 123, request ID svc_1)');
});

test('each reason on the page is one that the node or a recipe gives', () => {
	const texts = [
		...FIELDS,
		nodes('service', 'failure', 'responseFailure.ts'),
		nodes('service', 'failure', 'networkFailure.ts'),
		nodes('execution', 'once', 'results.ts'),
		read('examples', 'code', 'ids.js').replaceAll('${name}', 'do-not-contact'),
	].join('\n');
	const patterns = inChinese.REASONS.flatMap(([{ source }]) =>
		source
			.replace(/^\^(?:The Workchat service |Nothing\.\*)|\.\*$/g, '')
			.replace(/^\(\?:|\)$/g, '')
			.split('|'),
	);
	expect(patterns.filter((pattern) => !texts.includes(pattern))).toEqual([]);
});

test('each text of the page is in English and in Chinese, and the page uses it', () => {
	const view = read('examples', 'code', 'page', 'view.js');
	const states = ['starting', 'sending', 'stopping', 'stopped', 'failed', 'silent', 'done'];
	const kinds = [
		'empty',
		'twice',
		...['cut', 'lines', 'other'].flatMap((kind) => [kind, `${kind}Note`]),
	];
	const used = new Set([...states, ...kinds, 'rejected', 'notSent']);
	for (const [key, [english, chinese, ...more]] of Object.entries(inChinese.WORDS)) {
		expect(english).not.toMatch(/\p{Script=Han}/u);
		expect(chinese).toMatch(/\p{Script=Han}|^\$1 \/ \$2$/u);
		expect([chinese.match(/\$\d/g)?.sort(), more]).toEqual([english.match(/\$\d/g)?.sort(), []]);
		if (!view.includes(`'${key}'`)) expect(used).toContain(key);
	}
});
