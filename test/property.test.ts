import fc from 'fast-check';

import type { Misbehaviour } from '../dev/sandbox/misbehaviour';
import { samples } from '../dev/sandbox/samples';
import { DOWNLOAD, resultOf, SEND, useBench, VIDEO, workflowOf } from './setup';

const bench = useBench();

const FATES: Record<string, { how?: Misbehaviour; times?: number; isAccepted?: boolean }> = {
	sent: {},
	slow: { how: { kind: 'delay', milliseconds: 15 } },
	rejected: { how: { kind: 'refuse', code: 1, message: 'no' }, times: 99 },
	'busy once': { how: { kind: 'httpError', status: 503, retryAfter: '0' } },
	'busy for long': { how: { kind: 'httpError', status: 429, retryAfter: '0' }, times: 99 },
	'unknown, done': { how: { kind: 'dropAfterAccepting' }, times: 99, isAccepted: true },
	'unknown, not done': { how: { kind: 'dropAfterAccepting' }, times: 99, isAccepted: false },
	'crashed after sending': { how: { kind: 'httpError', status: 500 }, times: 99, isAccepted: true },
};

test('whatever the items, fates and settings: never twice, in order, one output for each', async () => {
	const item = fc.record({
		recipient: fc.integer({ min: 1, max: 4 }),
		fate: fc.constantFrom(...Object.keys(FATES)),
	});
	const settings = fc.record({
		onError: fc.constantFrom('stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'),
		retryOnFail: fc.boolean(),
		maxTries: fc.integer({ min: 2, max: 3 }),
		waitBetweenTries: fc.constant(1),
	} as const);
	const options = fc.record({
		maxConcurrency: fc.integer({ min: 1, max: 8 }),
		maxTries: fc.integer({ min: 1, max: 2 }),
		requestInterval: fc.constantFrom(0, 0, 2),
	});

	await fc.assert(
		fc.asyncProperty(
			fc.array(item, { minLength: 1, maxLength: 12 }),
			settings,
			options,
			async (items, nodeSettings, nodeOptions) => {
				const { sandbox, engine } = bench;
				sandbox.reset();
				for (const [index, { fate }] of items.entries()) {
					const { how, times = 1, isAccepted } = FATES[fate] ?? {};
					const when = (body: Record<string, unknown>) => body.feedNo === String(index);
					if (how) sandbox.misbehave(how, { when, times, isAccepted });
				}
				const run = await engine.run(
					workflowOf(
						items.map(({ recipient }, index) => ({ toId: `customer-${recipient}`, index })),
						{
							...SEND,
							feedVideo: `={{ { ...${SEND.feedVideo}, feedNo: $json.index } }}`,
							options: nodeOptions,
						},
						nodeSettings,
					),
				);

				const accepted = sandbox.messages.map(({ feedNo }) => feedNo);
				expect(new Set(accepted).size).toBe(accepted.length);

				const wire = sandbox.requests.map((request) => ({
					...request,
					item: Number(request.body?.feedNo),
					recipient: request.body?.toId,
				}));
				for (const [index, { fate }] of items.entries()) {
					const tries = wire.filter((request) => request.item === index).length;
					if (/unknown|crashed/.test(fate)) expect(tries).toBeLessThanOrEqual(1);
				}
				for (const recipient of new Set(wire.map((request) => request.recipient))) {
					const requests = wire.filter((request) => request.recipient === recipient);
					const firsts = [...new Set(requests.map((request) => request.item))];
					expect(firsts).toEqual([...firsts].sort((a, b) => a - b));
					requests.reduce((before, request) => {
						expect(request.startedAt).toBeGreaterThanOrEqual(before.endedAt ?? Infinity);
						return request;
					});
				}

				const { items: outputs, errorItems, error } = resultOf(run);
				const hasFailing = items.some(({ fate }) => /rejected|long|unknown|crashed/.test(fate));
				if (nodeSettings.onError === 'stopWorkflow') {
					if (hasFailing) expect(error?.name).toBe('NodeApiError');
				} else expect(error).toBeUndefined();
				if (error) return;
				const paired = [...outputs, ...errorItems].map(({ pairedItem }) =>
					typeof pairedItem === 'object' && 'item' in pairedItem ? pairedItem.item : NaN,
				);
				if (errorItems.length === 0) expect(paired).toEqual(items.map((_, index) => index));
				expect([...paired].sort((a, b) => a - b)).toEqual(items.map((_, index) => index));
			},
		),
		{ numRuns: 60 },
	);
});

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
			expect(message.length).toBeLessThan(1000);
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
