import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { resources } from '../../../nodes/Workchat/operations';
import { about } from '../../support/about';
import {
	maxConcurrencyOption,
	numberOption,
	readRunSettings,
	readSendOnceKey,
} from '../../../nodes/Workchat/operations/options';

/** The longest delay of a Node timer, rounded. */
const LONGEST_TIMER = 2_000_000_000;

/** The label of a number option, and its bounds, both included. */
const BOUNDS: Record<string, [label: string, least: number, most: number]> = {
	maxConcurrency: ['Max Concurrency', 1, 10_000],
	maxTries: ['Max Tries', 1, 10_000],
	requestInterval: ['Request Interval (ms)', 0, LONGEST_TIMER],
	timeout: ['Timeout (ms)', 1, LONGEST_TIMER],
	maxFileSize: ['Max File Size (MB)', 0, 1e9],
};
/** Every number option of every operation. */
const OPTIONS = resources
	.flatMap(({ operations }) => operations.flatMap(({ parameters }) => parameters))
	.filter(({ name }) => name === 'options')
	.flatMap(({ options }) => (options ?? []) as INodeProperties[])
	.filter(({ type }) => type === 'number');
const NO_NUMBERS = [NaN, Infinity, -Infinity, 'many', '1 000', '0x', [], {}, true, '', ' '];

test.each(OPTIONS)('$displayName refuses anything but a number within its bounds', (option) => {
	const { name, displayName, default: preset } = option;
	const [label, least = 0, most = 0] = BOUNDS[name] ?? [];
	expect(displayName).toBe(label);
	const valueOf = (value: unknown) => numberOption({ [name]: value } as never, option);
	for (const value of [least, most, ` ${most} `]) expect(valueOf(value)).toBe(Number(value));
	expect([undefined, null].map(valueOf)).toEqual([preset, preset]);
	const wrong = `The option '${label}' is not a number from ${least} to ${most}`;
	for (const value of [least - 1, -0.5, '-1', most + 1, `${most + 1}`, ...NO_NUMBERS]) {
		expect(() => valueOf(value)).toThrow(wrong);
	}
});

const WRITTEN = ['spring offer', ' spring  offer\n', 'spring\u3000offer', 'spring\tof\u200bfer'];
test.each([...WRITTEN, '\ufeffspring offer'])(
	'the Send Once Key %j counts as "spring offer", so nobody gets the message again',
	(sendOnceKey) => {
		const getNodeParameter = () => ({ sendOnceKey });
		const context = { getNodeParameter } as unknown as IExecuteFunctions;
		expect(readSendOnceKey(context, { sendOnceKey }, about)).toBe('spring offer');
	},
);

test('the settings of a run, including the value of its key, are those of its first item', () => {
	const numbers = { maxConcurrency: 2.9, maxTries: '4', requestInterval: 5 };
	const first = { ...numbers, sendOnceKey: 'spring', resendUnknown: 'false', dryRun: '' };
	const written = { ...first, sendOnceKey: '={{ $json.campaign }}' };
	const getNodeParameter = (...[, itemIndex, , isRaw]: unknown[]) =>
		isRaw ? written : itemIndex === 0 ? first : {};
	const context = { getNodeParameter } as unknown as IExecuteFunctions;
	expect(readRunSettings(context, maxConcurrencyOption(1))).toEqual({
		...{ maxConcurrency: 2, maxTries: 4, requestInterval: 5 },
		resendUnknown: false,
		// In a Retry, the expression may have another value.
		keySetting: '={{ $json.campaign }} spring',
		isDryRun: true,
	});
});
