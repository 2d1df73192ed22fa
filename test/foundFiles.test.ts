import fc from 'fast-check';

import { locateFile } from '../nodes/Workchat/service/file/locateFile';
import { surelyTypeOfBytes, typeOfBytes } from '../nodes/Workchat/service/file/mimeType';
import type { Wording } from '../nodes/Workchat/service/failure/wording';
import { Secrets } from '../nodes/Workchat/service/failure/secrets';
import { realFiles } from './realFiles';
import { thoroughly } from './thorough';

/** Of whatever an envelope holds, what is found is the file, whole; or nothing is. */

const RUNS = { numRuns: thoroughly(10_000, 1000) };
const context: Wording = {
	receiver: 'The service',
	isRepeatable: true,
	secrets: Secrets.NONE,
};
const SENT = 'https://cdn.example.com/sent/a%2Fb?x=1';

/** The content that was found, the link, or why there is none. */
async function found(data: unknown, fileSize: number): Promise<Buffer | string> {
	const wanted = { fileLocation: '', fileSize, sent: { fileUrl: SENT } };
	const location = await locateFile(data, wanted, context).catch((error: Error) => error);
	if (location instanceof Error) return location.message;
	return location.source === 'link' ? location.link : location.content;
}

const bytes = (minLength: number, maxLength: number) =>
	fc.uint8Array({ minLength, maxLength }).map((array) => Buffer.from(array));
const signature = bytes(8, 63).filter((content) => typeOfBytes(content) === undefined);
const long = bytes(768, 2000).filter((content) => content.some((byte) => byte > 127));
const proven = fc.constantFrom(
	...realFiles.flatMap(({ content }) =>
		surelyTypeOfBytes(content) ? [content.subarray(0, 64)] : [],
	),
);
const content = fc.oneof(long, proven);

/** What stands in answers beside a file. */
const junk = fc.oneof(
	fc.stringMatching(/^[0-9]{1,40}$/),
	fc.stringMatching(/^[0-9a-f]{32}$/),
	fc.stringMatching(/^[0-9A-F]{64}$/),
	fc.stringMatching(/^0x[0-9a-f]{40,2000}$/),
	// A list of IDs or words, one in each line.
	fc
		.array(fc.stringMatching(/^[A-Za-z0-9]{1,39}$/), { minLength: 2, maxLength: 200 })
		.map((ids) => ids.join('\n'))
		.filter((list) => !surelyTypeOfBytes(Buffer.from(list, 'base64'))),
	fc.uuid(),
	fc.constantFrom('success', 'ok', 'done', 'image/png', 'file', 'video', '-'.repeat(1100), ''),
	fc.constantFrom(
		`ok${' '.repeat(1100)}`,
		'1'.repeat(1200),
		'abcdef01'.repeat(300),
		'\n'.repeat(900),
	),
	fc.constantFrom(
		SENT,
		' https://CDN.example.com/sent/a/b?x=1#t ',
		'https://cdn.example.com/sent/a%2fb?x=1',
	),
	fc.constantFrom(null, true, 0, 24, 1e9, 'data:text/plain,hello', 'a b c', '没有文件'),
	signature.map((some) => some.toString('base64')),
	signature.map((some) => some.toString('base64url')),
	// Base64 that was spoilt on its way: a plus became a blank, or its end is missing.
	long.map((some) => spoilt(some.toString('base64').replaceAll('+', ' '), some)),
	long.map((some) => spoilt(some.toString('base64').replace(/=*$/, '').slice(0, -2), some)),
	long.map((some) => `${some.toString('base64').replace(/=*$/, '')}===`),
);
const key = fc.stringMatching(/^[a-z]{1,8}$/);
/** Distinct keys without numbers, so that nothing looks like a part of anything. */
const beside = fc.dictionary(key, junk, { maxKeys: 5 });

/** Nothing, unless a text is really spoilt. */
function spoilt(text: string, original: Buffer): string {
	const isSame = Buffer.from(text, 'base64').equals(original);
	// At the end of a group, nobody could tell.
	const isCutBetween = /^[\w+/]*$/.test(text) && text.length % 4 === 0;
	return isSame || isCutBetween || !/[+/]/.test(text) ? '' : text;
}

const written = fc
	.tuple(
		content,
		fc.constantFrom('base64', 'base64url', 'lines', 'dataUri', 'link'),
		fc.nat(1e6),
		fc.constantFrom(60, 64, 76, 1000),
		fc.constantFrom('\n', '\r\n', '\n\t  '),
	)
	.map(([original, way, number, width, line]) => {
		const base64 = original.toString('base64');
		const link = `https://cdn.example.com/file/${number}`;
		const texts: Record<string, string> = {
			base64,
			base64url: original.toString('base64url'),
			lines: `${line}${base64.replace(new RegExp(`.{${width}}`, 'g'), `$&${line}`)}${line}`,
			dataUri: `data:application/octet-stream;base64,${base64}`,
			link,
		};
		return { text: texts[way]!, expected: way === 'link' ? link : original, original };
	});

/** A value somewhere among others. */
const placed = (value: unknown, others: object, depth: number): unknown =>
	Array.from({ length: depth }).reduce<unknown>((inner) => ({ ...others, inner }), value);

test('nothing is found where there is no file', async () => {
	const property = fc.asyncProperty(beside, fc.nat(3), fc.nat(63), async (others, depth, size) => {
		expect(await found(placed(others, others, depth), size)).toMatch(/without anything/);
	});
	await fc.assert(property, RUNS);
});

test('the one file is found, whatever File Size is', async () => {
	const property = fc.asyncProperty(
		written,
		beside,
		fc.nat(3),
		fc.nat(2500),
		async ({ text, expected }, others, depth, size) => {
			expect(await found(placed(text, others, depth), size)).toEqual(expected);
		},
	);
	await fc.assert(property, RUNS);
});

test('of two files, one is found only if it alone has File Size bytes, and never against a link', async () => {
	const property = fc.asyncProperty(written, written, beside, async (one, other, others) => {
		fc.pre(one.text !== other.text);
		const size = one.original.length;
		const isPlain = Buffer.isBuffer(one.expected) && Buffer.isBuffer(other.expected);
		const isTold = isPlain && other.original.length !== size;
		const result = await found({ ...others, one: one.text, other: other.text }, size);
		if (isTold) expect(result).toEqual(one.expected);
		else expect(result).toMatch(/several things/);
	});
	await fc.assert(property, RUNS);
});

test('base64 of exactly File Size bytes is the file where nothing else could be', async () => {
	const property = fc.asyncProperty(bytes(64, 700), beside, async (original, others) => {
		const text = original.toString('base64');
		fc.pre(/[g-z]/i.test(text) && !surelyTypeOfBytes(original));
		expect(await found({ ...others, text }, original.length)).toEqual(original);
		expect(await found({ ...others, text }, original.length + 1)).toMatch(/without anything/);
	});
	await fc.assert(property, RUNS);
});

test('a word beside a file is no part of it', async () => {
	const property = fc.asyncProperty(
		content,
		fc.constantFrom('jpeg', 'webp', 'file', 'success1', 'image/png', '1024', 'a'.repeat(32)),
		async (original, word) => {
			const base64 = original.toString('base64');
			expect(await found([base64, word], 1)).toEqual(original);
			expect(await found({ file1: base64, file2: word }, 1)).toEqual(original);
		},
	);
	await fc.assert(property, RUNS);
});

test('a file in parts is none of its parts', async () => {
	const property = fc.asyncProperty(
		fc.oneof(
			content,
			// As archives and videos end.
			content.map((some) => Buffer.concat([some, Buffer.alloc(some.length)])),
		),
		fc.integer({ min: 2, max: 6 }),
		fc.constantFrom('list', 'numbered', 'number within', 'nested', 'encoded apart'),
		fc.integer({ min: 0, max: 3 }),
		async (original, count, way, odd) => {
			const base64 = original.toString('base64');
			const width = Math.ceil(base64.length / count / 4) * 4 + odd;
			const cut = base64.match(new RegExp(`.{1,${width}}`, 'g')) ?? [];
			const bytesEach = Math.ceil(original.length / count);
			const apart = Array.from({ length: count }, (_, index) =>
				original.subarray(index * bytesEach, (index + 1) * bytesEach).toString('base64'),
			);
			const parts = way === 'encoded apart' ? apart : cut;
			fc.pre(parts.length > 1 && parts.every((part) => part.length >= 16));
			const data: Record<string, unknown> = {
				list: parts,
				'encoded apart': parts,
				'number within': Object.fromEntries(
					parts.map((part, index) => [`chunk_${index}_data`, part]),
				),
				numbered: Object.fromEntries(parts.map((part, index) => [`part${index}`, part])),
				nested: { chunks: parts.map((part) => ({ data: part })) },
			};
			expect(await found(data[way], original.length)).toMatch(/several|without anything/);
		},
	);
	await fc.assert(property, RUNS);
});

describe('the first bytes prove nothing', () => {
	test('of random bytes, where a file is looked for', () => {
		const property = fc.property(bytes(4, 64), (some) => {
			expect(surelyTypeOfBytes(some)).toBeUndefined();
		});
		fc.assert(property, RUNS);
	});

	test('of text', () => {
		const beginning = fc.constantFrom(
			'ID3',
			'BM',
			'GIF8',
			'RIFF',
			'OggS',
			'PK',
			'Rar!',
			'7z',
			'II*',
			'ftyp',
			'1234ftypmp42',
			'',
		);
		const property = fc.property(
			beginning,
			fc.string({ unit: 'grapheme', minLength: 1 }),
			(one, rest) => {
				fc.pre(!/^(?:%PDF-|\{\\rtf|#!AMR|#!SILK)/.test(one + rest));
				expect(typeOfBytes(Buffer.from(one + rest))).toBeUndefined();
			},
		);
		fc.assert(property, RUNS);
	});
});
