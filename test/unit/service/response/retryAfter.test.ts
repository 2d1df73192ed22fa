import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { projectRoot } from '../../../../dev/projectRoot';
import { retryAfter } from '../../../../nodes/Workchat/service/response/retryAfter';

describe('Retry-After', () => {
	test.each([
		['seconds', '120', 120_000],
		['a date that is past', new Date(0).toUTCString(), 0],
		['nothing', undefined, undefined],
		['nonsense', 'soon', undefined],
	])('as %s', (_, header, milliseconds) => expect(retryAfter(header)).toBe(milliseconds));

	test('as a date to come', () => {
		jest.spyOn(Date, 'now').mockReturnValue(Date.UTC(2026, 0, 1));
		expect(retryAfter('Thu, 01 Jan 2026 00:00:10 GMT')).toBe(10_000);
		jest.restoreAllMocks();
	});
});

/** The wall clock may be set while the node runs. */
test('nothing else reads the wall clock', () => {
	const folder = join(projectRoot, 'nodes', 'Workchat');
	const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
	const readsDate = (file: string) => /\bDate\b/.test(readFileSync(join(folder, file), 'utf8'));
	const readers = files.filter((file) => file.endsWith('.ts') && readsDate(file));
	expect(readers).toEqual([join('service', 'response', 'retryAfter.ts')]);
});
