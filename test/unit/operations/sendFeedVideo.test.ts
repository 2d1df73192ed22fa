import { sendFeedVideo } from '../../../nodes/Workchat/operations/sendFeedVideo';
import type { IRun } from 'n8n-workflow';

import { DeduplicationStandIn } from '../../../dev/engine/deduplicationStandIn';
import { CONTINUE, endsOf, retrying } from '../../support/messages';
import { NODE, resultOf, SEND, useBench, VIDEO, workflowOf } from '../../support/setup';

const bench = useBench();

test('IDs and links are cleaned, other text is sent unchanged, and 0 is not a recipient', () => {
	const types = sendFeedVideo.fields.map(({ name, type }) => [name, type]);
	const urls = ['channelUrl', 'coverUrl', 'headImgUrl'].map((name) => [name, 'url']);
	expect(types.filter(([, type]) => type !== 'text')).toEqual([['toId', 'id'], ...urls]);
	expect(sendFeedVideo.fields[0]?.zeroMeaning).toMatch(
		/^a placeholder for the group in a private chat/,
	);
});

test('a failed expression fails its item, and each item has its own Timeout and Simplify', async () => {
	bench.sandbox.misbehave({ kind: 'hang' }, { toId: 'customer-2' });
	bench.sandbox.misbehave({ kind: 'delay', milliseconds: 300 }, { toId: 'customer-3' });
	const items = [
		{},
		{ toId: 'customer-2', timeout: 100 },
		{ toId: 'customer-3', timeout: 10_000, simplify: true },
	];
	const parameters = {
		...SEND,
		toId: "={{ $json.toId ?? $('Nobody').item.json.toId }}",
		simplify: '={{ $json.simplify }}',
		options: { timeout: '={{ $json.timeout ?? 1 }}' },
	};
	const run = await bench.engine.run(workflowOf(items, parameters, CONTINUE));
	const message = expect.stringMatching(/^Recipient ID has an expression that fails: /) as string;
	expect(resultOf(run).items.map(({ json }) => json)).toMatchObject([
		{ error: { outcome: 'notSent', message } },
		{ error: { outcome: 'unknown', message: expect.stringMatching(/in time/) as string } },
		{ messageId: 'sandbox-message-1' },
	]);
	expect(bench.sandbox.requests).toHaveLength(2);
});

const hintsOf = (run: IRun) =>
	(run.data.resultData.runData[NODE]?.[0]?.hints ?? []).map(({ message }) => message);

const SEVERAL = /^Several items have the same recipient, who gets the same .*: a \(items 1, 3\)$/;
const REFUSED = /^1 of 3 items failed \(a\). The first: This is the same/;
test.each<[options: object, end: string, hint?: RegExp]>([
	[{}, 'sent', SEVERAL],
	[{ dryRun: true }, 'sent', SEVERAL],
	[{ sendOnceKey: 'a' }, 'skipped'],
	[{ sendOnceKey: 'a', dryRun: true }, 'sent'],
	[{ refuseOdd: true }, 'notSent', REFUSED],
	[{ refuseOdd: true, sendOnceKey: 'a' }, 'skipped'],
])(
	'with %j, the second of two equal messages is %s, and the user reads which items are equal',
	async (options, end, ...[hint]) => {
		const items = ['a', 'b', 'a'].map((toId) => ({ toId }));
		bench.engine.deduplicator = new DeduplicationStandIn(undefined, bench.engine.workflowId);
		const run = await bench.engine.run(workflowOf(items, { ...SEND, options }, CONTINUE));
		const jsons = resultOf(run).items.map(({ json }) => json);
		expect(endsOf(jsons)).toEqual(['sent', 'sent', end]);
		expect(hintsOf(run)).toEqual(hint ? [expect.stringMatching(hint)] : []);
		const message = 'This is the same message as that of item 1';
		if (end === 'notSent') expect(jsons[2]).toMatchObject({ error: { message, toId: 'a' } });
	},
);

test('a message that Retry On Fail does not send again still counts as the first of equal ones', async () => {
	bench.sandbox.misbehave({ kind: 'httpError', status: 500 }, { toId: 'a' });
	const settings = retrying(2, 'continueRegularOutput');
	const parameters = { ...SEND, options: { refuseOdd: true, maxTries: 1 } };
	const run = await bench.engine.run(
		workflowOf([{ toId: 'a' }, { toId: 'a' }], parameters, settings),
	);
	expect(endsOf(resultOf(run).items.map(({ json }) => json))).toEqual(['unknown', 'notSent']);
	expect(bench.sandbox.requests).toHaveLength(1);
});

test('an instance in capitals is the same instance: nobody gets a message twice, and messages keep their order', async () => {
	const guid = '01234567-89ab-cdef-0123-456789abcdef';
	const spelt = guid.toUpperCase();
	const items = [spelt, guid].map((each) => ({ toId: 'a', guid: each }));
	const options = { refuseOdd: true, dryRun: true };
	const parameters = { ...SEND, instanceGuid: '={{ $json.guid }}', options };
	const run = await bench.engine.run(workflowOf(items, parameters, CONTINUE));
	expect(resultOf(run).items.map(({ json }) => json)).toMatchObject([
		{ orderKey: JSON.stringify([guid, 'a']), request: { body: { instance_guid: spelt } } },
		{ error: { outcome: 'notSent', message: expect.stringMatching(/same message/) as string } },
	]);
});

test.each([
	['=a-{{ $itemIndex }}', '$itemIndex'],
	["=7881300000333444-{{ $now.toFormat('yyyy-MM') }}", undefined],
	['$now 10:30', undefined],
])('a user of the key %s is warned of its changing part: %s', async (sendOnceKey, what) => {
	const parameters = { ...SEND, options: { sendOnceKey, dryRun: true } };
	const hints = hintsOf(await bench.engine.run(workflowOf([{ toId: 'a' }], parameters)));
	const words =
		'If the Send Once Key changes with every run, it prevents duplicates at most within this execution. Check this part of it';
	expect(hints).toEqual(what === undefined ? [] : [`${words}: ${what} (item 1)`]);
});

const TRUNCATED =
	"looks like a number of which a spreadsheet kept only 15 digits: if the IDs are correct, add the option 'Long IDs May End in 0'";
const SUSPICIOUS = {
	feedNo: '1234567890123450000',
	encodeData: 'null',
};
test.each<[refuseOdd: unknown, isRefused: boolean]>([
	[undefined, false],
	[false, false],
	[true, true],
	['={{ $json.missing }}', true],
])('with refuseOdd %j, one error names all suspicious values: %s', async (refuseOdd, isRefused) => {
	const feedVideo = JSON.stringify({ ...VIDEO, ...SUSPICIOUS, ...(isRefused && { feedId: '' }) });
	const options = refuseOdd === undefined ? {} : { refuseOdd };
	const workflow = workflowOf([{ toId: 'a, "b"' }], { ...SEND, feedVideo, options }, CONTINUE);
	const run = await bench.engine.run(workflow);
	const problems = [
		'feedId is empty in the JSON',
		'Recipient ID is "a, "b"", which does not look like an ID, which has only A-Z, a-z, 0-9 and _ - . : @ + = / ~',
		'encodeData looks like the result of an expression that finds nothing',
	];
	const error = { outcome: 'notSent', message: problems.join('; ') };
	expect(resultOf(run).items[0]?.json).toMatchObject(isRefused ? { error } : { ok: true });
	expect(bench.sandbox.messages).toHaveLength(isRefused ? 0 : 1);
	const hints = run.data.resultData.runData[NODE]?.[0]?.hints ?? [];
	expect(hints).toHaveLength(isRefused ? 1 : 3);
});

/** Creates IDs with this number of digits and of final zeros. */
const ids = (count: number, digits: number, zeros = 0, first = 1) =>
	Array.from({ length: count }, (_, index) => {
		const number = String(10 ** 14 + (index + first) * 7919);
		return number.padEnd(digits - zeros, '3').slice(0, digits - zeros) + '0'.repeat(zeros);
	});
const true17 = ids(99, 17);
const GROUP = '10696051234567800';
test.each<[what: string, toIds: unknown[], refused: number, more?: object]>([
	['one group', [GROUP], 0],
	['a hundred groups, one of which ends in 00', [...true17, GROUP], 0],
	['groups of which one comes late', [...ids(150, 17), GROUP], 0],
	['people of whom a tenth end in 0', [...ids(45, 16), ...ids(5, 16, 1, 100)], 0],
	['two people who end in 0', ids(2, 16, 1), 0],
	['one number of 16 digits among names', ['a', '1688850000111220', 'b'], 0],
	['three people who end in 0', ids(3, 16, 1), 3],
	['two groups that end in 00', ids(2, 17, 2), 0],
	['one ID of 19 digits that ends in 0000', ids(1, 19, 4), 0],
	['a column of which half is truncated', [...ids(10, 17), ...ids(10, 17, 2, 50)], 0],
	['a column of which most is truncated', [...ids(10, 17), ...ids(11, 17, 2, 50)], 11],
	['one group in three spellings', [GROUP, `${GROUP}@chatroom`, `R:${GROUP}`], 0],
	[
		'people, and groups that are truncated',
		[...ids(20, 16), ...ids(2, 16, 1, 60), ...ids(5, 17, 2, 90)],
		5,
	],
	['IDs in other words', ids(3, 17, 2).map((id) => `${id}@chatroom`), 3],
	[
		'truncated IDs with unseen characters',
		ids(3, 17, 2).map((id) => `\u202d${id.slice(0, 9)}\u200b${id.slice(9)}`),
		3,
	],
	['a truncated column of numbers', [5, 6, 7, 8].map((digit) => digit * 1e15 + 1230), 4],
	['a column that is accepted by an option', ids(4, 17, 2), 0, { longIdsMayEndIn0: true }],
	[
		'one whose option has an empty expression',
		ids(4, 17, 2),
		4,
		{ longIdsMayEndIn0: '={{ $json.a }}' },
	],
])('with Refuse Odd Values, of %s only truncated IDs are refused', async (...row) => {
	const [, toIds, refused, more] = row;
	const items = toIds.map((toId) => ({ toId }));
	const options = { refuseOdd: true, dryRun: true, ...more };
	const run = await bench.engine.run(workflowOf(items as never, { ...SEND, options }, CONTINUE));
	const errors = resultOf(run).items.flatMap(({ json: { error } }) => error ?? []);
	const truncated = { message: expect.stringMatching(`${TRUNCATED}$`) as string };
	expect(errors).toMatchObject(Array(refused).fill(truncated));
});
