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

/** Reads the second item. @param written the parameters as the user wrote them */
async function read(values: Record<string, unknown>, item: object = {}, written = values) {
	const getNodeParameter = (name: string, _: number, fallback: unknown, options?: object) =>
		(options ? written : values)[name] ?? fallback;
	const getInputData = () => [{ json: { feedId: 'of another' } }, { json: item }];
	const context = { getNodeParameter, getInputData } as unknown as IExecuteFunctions;
	return await readGroup(context, 1, GROUP);
}
const readJson = async (feedVideo: unknown) => await read({ specifyFeedVideo: 'json', feedVideo });

test.each<[string, object, object]>([
	['fields', VIDEO, {}],
	['input', {}, { body: [VIDEO] }],
	['json', { feedVideo: { a: VIDEO } }, {}],
	['json', { feedVideo: [VIDEO] }, {}],
	['json', { feedVideo: `\ufeff\n${JSON.stringify(VIDEO)}\u00a0` }, {}],
])('the node reads the fields of the right item: %s, %j', async (way, parameters, item) => {
	const found = await read({ specifyFeedVideo: way, ...parameters }, item);
	expect(found).toEqual({ body: VIDEO, problems: [], notices: [] });
});

test.each<[unknown, string]>([
	['', 'Feed Video is missing'],
	['{"feedId": "", "feedNo": ""}', 'feedId is empty in the JSON; feedNo is empty in the JSON'],
	['{"feedId": "secret"}', 'feedNo is missing; the JSON has: feedId'],
	['null', 'Feed Video: none of its fields (feedId, feedNo) was found: the JSON is empty'],
])('the error says what is wrong with %j', async (feedVideo, problems) => {
	expect((await readJson(feedVideo)).problems.join('; ')).toBe(problems);
});

test('the error about an expression that returns nothing says so, and not that the JSON is missing', async () => {
	const written = { specifyFeedVideo: 'json', feedVideo: '={{ }}' };
	const { problems } = await read({ ...written, feedVideo: ' ' }, {}, written);
	const why = 'is empty: check its expression, or the value in the item';
	expect(problems).toEqual([`Feed Video ${why}`]);
});

test.each([
	['secret', /^Unexpected token 's'\)/],
	['{"feedId": secret}', /^Unexpected token 's'\)/],
	['{"feedId": "secret"', /^Expected ',' or '}' after property value in JSON at position 19/],
	['{{ $json.secret }}', /^an expression .* as text: switch the field to Expr/],
	['{"feedId": {{ $json.secret }}}', /^an expression/],
	['{"secret": [object Object]}', /^an object that an expression turned into text/],
])(
	'the error for %j, which is not valid JSON, explains it and shows no value',
	async (text, mistake) => {
		const [problem = ''] = (await readJson(text)).problems;
		const [, reason] = /^Feed Video is not valid JSON \((.*)$/s.exec(problem) ?? [];
		expect(reason).toMatch(mistake);
		expect(reason).toMatch(/\): 'From Input Item', or an expression .* needs no quotes or commas$/);
		expect(reason).not.toContain('secret');
	},
);
