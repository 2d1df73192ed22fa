import fc from 'fast-check';

import type { FieldGroup } from '../../../../nodes/Workchat/operations/fields/field';
import { fieldsFromJson } from '../../../../nodes/Workchat/operations/fields/fieldsFromJson';

/** By which names fields are found: findFields.test.ts; in a workflow: fieldGroup.test.ts. */

const GROUP: FieldGroup = {
	name: 'file',
	displayName: 'File',
	fields: [
		{ name: 'fileAeskey', label: 'File AES Key', type: 'text' },
		{ name: 'fileSize', label: 'File Size', type: 'integer' },
		{ name: 'fileUrl', label: 'File URL', type: 'url' },
	],
};
const VALID = { fileAeskey: 'x', fileSize: 1, fileUrl: 'https://example.com/' };

/** Values that nobody should send, as JSON can carry them. */
const hostile = fc.oneof(
	fc.string({ unit: 'binary' }),
	fc.jsonValue(),
	fc.constantFrom('', '   ', '\0', 'null', '\u202e\u2066', '\ud800', 'x'.repeat(20_000)),
	fc.constantFrom('javascript:alert(1)', 'http://', 'https://exa\nmple.com', '//example.com'),
	fc.constantFrom(2 ** 53, -(2 ** 60), 1e308, 0, -1, 1.5, true, null),
	fc.constantFrom([], {}, [[]], { toString: 'x' }, { length: 1e9 }),
);
const key = fc.constantFrom(...Object.keys(VALID), 'constructor', 'toString', '__proto__');
/** The valid fields, some of them spoilt, with others beside them. */
const hostileObject = fc
	.array(fc.tuple(key, hostile), { minLength: 1, maxLength: 4 })
	.map((spoilt) => [...Object.entries(VALID), ...spoilt])
	.map((entries) =>
		entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`),
	)
	.map((fields) => JSON.parse(`{${fields.join()}}`) as object);

test('hostile fields give a short error or a correct body', async () => {
	let refused = 0;
	const property = fc.asyncProperty(fc.oneof(hostileObject, hostile), async (json) => {
		const { body, problems } = await fieldsFromJson(GROUP, json, 'the JSON');
		expect({}).not.toHaveProperty('fileSize');
		if (problems.length > 0) {
			refused++;
			const message = problems.join('; ');
			expect(message).toMatch(/^(\w+ )+(is|are|comes|of)|^File/);
			return expect(message.length).toBeLessThan(1300);
		}
		expect(Object.keys(body).sort()).toEqual(Object.keys(VALID));
		expect(body).toMatchObject({
			fileAeskey: expect.any(String),
			fileSize: expect.any(Number),
			fileUrl: expect.stringMatching(/^https?:\/\//),
		});
	});
	await fc.assert(property, { numRuns: 150 });
	expect(refused).toBeGreaterThan(50);
});
