import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { resources } from '../../../nodes/Workchat/operations';
import {
	maxConcurrencyOption,
	numberOption,
	readRunSettings,
} from '../../../nodes/Workchat/operations/options';

/** That no operation sends anything with wrong ones, and that n8n's timers take them: operations.test.ts. */

const LONGEST_TIMER = 2_000_000_000;

/** What a number option is called, and its bounds, both included. */
const BOUNDS: Record<string, [label: string, least: number, most: number]> = {
	maxConcurrency: ['Max Concurrency', 1, 10_000],
	maxTries: ['Max Tries', 1, 10_000],
	requestInterval: ['Request Interval (ms)', 0, LONGEST_TIMER],
	timeout: ['Timeout (ms)', 1, LONGEST_TIMER],
	maxFileSize: ['Max File Size (MB)', 0, 1e9],
};

/** Every number option of every operation. */
const OPTIONS = resources.flatMap(({ operations }) =>
	operations.flatMap(({ value, parameters }) =>
		parameters
			.filter(({ name }) => name === 'options')
			.flatMap(({ options }) => (options ?? []) as INodeProperties[])
			.filter(({ type }) => type === 'number')
			.map((option) => ({ operation: value, name: option.name, option })),
	),
);

test.each(OPTIONS)('$operation: $name', ({ name, option }) => {
	const [label, least, most] = BOUNDS[name] ?? [];
	expect(option).toMatchObject({
		displayName: label,
		typeOptions: { minValue: least, maxValue: most },
	});
});

describe.each(Object.entries(BOUNDS))('%s', (name, [label, least, most]) => {
	const { option } = OPTIONS.find((other) => other.name === name)!;
	const valueOf = (value: unknown) => numberOption({ [name]: value } as never, option);

	test('is a number, and its default where nothing is said', () => {
		for (const value of [least, most, `${most}`, ` ${least} `]) {
			expect(valueOf(value)).toBe(Number(value));
		}
		expect([undefined, null].map(valueOf)).toEqual([option.default, option.default]);
	});

	const noNumbers = [NaN, Infinity, -Infinity, 'many', '1 000', '0x', [], {}, true, '', ' '];
	test.each([
		[`at least ${least}`, [least - 1, -1, -0.5, -1e308, '-1', ...noNumbers]],
		[`at most ${most}`, [most + 1, most * 2, 1e300, `${most + 1}`]],
	])('has to be a number of %s', (bound, values) => {
		for (const value of values) {
			expect(() => valueOf(value)).toThrow(`The option '${label}' is not a number of ${bound}`);
		}
	});
});

test('the settings of a run are those of its first item, and of 2.9 at once there are 2', () => {
	const getNodeParameter = (_: string, itemIndex: number) =>
		itemIndex === 0 ? { maxConcurrency: 2.9, maxTries: '4', requestInterval: 5 } : {};
	const context = { getNodeParameter } as unknown as IExecuteFunctions;
	expect(readRunSettings(context, maxConcurrencyOption(1))).toEqual({
		maxConcurrency: 2,
		maxTries: 4,
		requestInterval: 5,
		repeatsUnknown: false,
		sendOnceKey: '',
		isDryRun: false,
	});
});
