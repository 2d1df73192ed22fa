import fc from 'fast-check';

import { samples } from '../../dev/sandbox/samples';
import { DOWNLOAD, resultOf, SEND, useBench, VIDEO, workflowOf } from '../support/setup';

const bench = useBench();

/** Texts and values that nobody should send, as JSON can carry them. */
const hostileText = fc.oneof(
	fc.string({ unit: 'binary' }),
	fc.constantFrom(
		'',
		'   ',
		'\u0000',
		'\u202e\u2066',
		'null',
		'{{ $json.toId }}',
		'={{ 1 }}',
		'../../etc/passwd',
		'javascript:alert(1)',
		'http://',
		'https://exa\nmple.com',
		'//example.com',
		'%00',
		'\ud800',
		'x'.repeat(1024 * 1024),
	),
);
const hostile = fc.oneof(
	hostileText,
	fc.jsonValue(),
	fc.constantFrom(2 ** 53, -(2 ** 60), 1e308, 0, -1, 1.5, true, null),
	fc.constantFrom([], {}, [[]], { toString: 'x' }, { length: 1e9 }),
);

function hostileObjects(valid: object) {
	const keys = Object.keys(valid);
	const others = fc.constantFrom('constructor', 'toString', 'hasOwnProperty', 'length');
	return fc
		.tuple(
			fc.subarray(keys, { minLength: 1 }),
			fc.array(hostile, { minLength: 6, maxLength: 6 }),
			fc.option(others),
			fc.boolean(),
		)
		.map(([spoilt, values, extra, drops]) => {
			const object: Record<string, unknown> = { ...valid };
			for (const [index, key] of spoilt.entries()) {
				if (drops && index === 0) delete object[key];
				else object[key] = values[index % values.length];
			}
			if (extra) object[extra] = values[0];
			const text = JSON.stringify(object);
			return extra ? text.replace('{', '{"__proto__":{"isPolluted":true},') : text;
		});
}

describe('hostile input', () => {
	test.each([
		['send', () => ({ ...SEND, toId: 'customer-1', feedVideo: '={{ $json.text }}' }), () => VIDEO],
		[
			'download',
			() => ({ ...DOWNLOAD, output: 'envelope', file: '={{ $json.text }}' }),
			() => bench.sandbox.fieldsOf(samples.document),
		],
	])('to %s gives a clear error or a correct request', async (_, parametersOf, validOf) => {
		const texts = [
			...fc.sample(hostileObjects(validOf()), 250),
			...fc.sample(hostileText, 50).map((text) => text.slice(0, 1000)),
		];
		const options = { maxConcurrency: 10, maxTries: 1 };
		const run = await bench.engine.run(
			workflowOf(
				texts.map((text) => ({ text })),
				{ ...parametersOf(), options },
				{ onError: 'continueRegularOutput' },
			),
		);

		const { items, error } = resultOf(run);
		expect(error).toBeUndefined();
		expect(items).toHaveLength(texts.length);
		const errors = items.map(({ json }) => json.error as { outcome: string; message: string });
		const refused = errors.filter((failed) => failed?.outcome === 'notSent');
		expect(bench.sandbox.requests).toHaveLength(texts.length - refused.length);
		expect(refused.length).toBeGreaterThan(100);
		for (const { message } of refused) {
			expect(message).toMatch(/^(\w+ )+(is|comes)|is not a JSON object/);
			// Eight fields, each with the longest of all problems.
			expect(message.length).toBeLessThan(1300);
		}
		for (const { body, rawBody } of bench.sandbox.requests) {
			expect(Object.keys(body ?? {}).sort()).toEqual(
				Object.keys({
					instance_guid: '',
					...validOf(),
					...('toId' in (body ?? {}) && { toId: '' }),
				}).sort(),
			);
			for (const [name, value] of Object.entries(body ?? {})) {
				expect(typeof value).toBe(/^file(Size|Type)$/.test(name) ? 'number' : 'string');
				if (name.endsWith('Url')) expect(value).toMatch(/^https?:\/\//);
			}
			expect(rawBody).not.toContain('isPolluted');
		}
		expect({}).not.toHaveProperty('isPolluted');
	});
});
