import type { IExecuteFunctions } from 'n8n-workflow';

import type { FieldGroup } from '../../../../nodes/Workchat/operations/fields/field';
import { readGroup } from '../../../../nodes/Workchat/operations/fields/fieldGroup';

const GROUP: FieldGroup = {
	name: 'feedVideo',
	displayName: 'Feed Video',
	fields: [
		{ name: 'feedId', label: 'Feed ID', type: 'text' },
		{ name: 'feedNo', label: 'Feed No', type: 'text' },
	],
};
const VIDEO = { feedId: 'a', feedNo: 'b' };

/** Of the second item; `feedVideo` is what comes out of the JSON, as the user wrote it or of an expression. */
async function read(
	specifyFeedVideo: string,
	more: object,
	item: object = {},
	isExpression = false,
) {
	const values: Record<string, unknown> = { specifyFeedVideo, ...more };
	const raw = (name: string) => (isExpression && name === 'feedVideo' ? '={{ }}' : values[name]);
	const context = {
		getNodeParameter: (name: string, _: number, fallback: unknown, options?: object) =>
			(options ? raw(name) : values[name]) ?? fallback,
		getInputData: () => [{ json: { feedId: 'of another' } }, { json: item }],
	};
	return await readGroup(context as unknown as IExecuteFunctions, 1, GROUP);
}
const readJson = async (feedVideo?: unknown, isExpression = false) =>
	await read('json', { feedVideo }, {}, isExpression);

test.each<[string, object, object]>([
	['fields', VIDEO, {}],
	['input', {}, { body: [VIDEO] }],
	['json', { feedVideo: { a: VIDEO } }, {}],
	['json', { feedVideo: [VIDEO] }, {}],
	['json', { feedVideo: `\n ${JSON.stringify(VIDEO)} ` }, {}],
])('fields are taken as they are specified: by %s, %j', async (way, parameters, item) => {
	expect(await read(way, parameters, item)).toEqual({ body: VIDEO, problems: [], remarks: [] });
});

const EMPTY = 'comes out empty: check its expression, or the value in the item';
test.each<[unknown, string]>([
	['', 'Feed Video is missing'],
	['={{ }}', `Feed Video ${EMPTY}`],
	['{"feedId": "", "feedNo": ""}', 'feedId is empty in the JSON; feedNo is empty in the JSON'],
	['{"feedId": "secret"}', 'feedNo is missing; the JSON has: feedId'],
	['null', 'Feed Video: none of its fields (feedId, feedNo) was found: the JSON is empty'],
])('%j is explained', async (feedVideo, problems) => {
	const isExpression = feedVideo === '={{ }}';
	const found = await readJson(isExpression ? ' ' : feedVideo, isExpression);
	expect(found.problems.join('; ')).toBe(problems);
});

test.each([
	['secret', /^Unexpected token 's'\./],
	['{"feedId": secret}', /^Unexpected token 's'\./],
	['{"feedId": "secret"', /^Expected ',' or '}' after property value in JSON at position 19/],
	['{"feedId": "say "secret""}', /at position 17.*, mostly a quote inside a text/],
	['{"feedId": "secret\n"}', /, mostly a line break or a tab inside a text/],
	['{"feedId": "C:\\secret"}', /, mostly a backslash inside a text/],
	['{"feedId": "secret",}', /, mostly a comma too many/],
	['{"feedId": }', /, mostly a comma too many, or a value that is missing/],
	['{"feedId": 0012}', /, mostly a number that begins with 0/],
	["{'feedId': 'secret'}", /, mostly a name without double quotes/],
	['{"feedId": [object Object]}', /^it holds \[object Object\], what an expression leaves/],
	['{"feedId":\u00a0"secret"}', /^it holds U\+00A0/],
	['{"feedId": “secret”}', /^JSON needs plain quotes, commas and colons \(" , :\), not “\./],
	['{"feedId": "“secret”"，"a": 1}', /not ，\./],
	['{"feedId"：1}', /not ：\./],
	['```json\n{"feedId": "secret"}\n```', /^it stands in a code fence/],
	['{"feedId":\u200b"sec\u200bret"}', /^it holds U\+200B, an invisible character\./],
	['{"feedId":"```，\u200b", secret}', /^Expected double-quoted property name in JSON at position/],
])('of %j, which is no JSON, the mistake is told, and no value', async (text, mistake) => {
	const [problem = ''] = (await readJson(text)).problems;
	const [, said] = /^Feed Video is text that is no JSON: (.*)$/s.exec(problem) ?? [];
	expect(said).toMatch(mistake);
	expect(said).toMatch(/\. 'From Input Item', or an expression .* needs no quotes and commas$/);
	expect(said).not.toContain('secret');
});
