import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { projectRoot } from '../../dev/projectRoot';

/** It may be set while the node runs. */
test('the wall clock decides nothing but how far away the date of a Retry-After is', () => {
	const folder = join(projectRoot, 'nodes', 'Workchat');
	const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
	const readsDate = (file: string) => /\bDate\b/.test(readFileSync(join(folder, file), 'utf8'));
	const readers = files.filter((file) => file.endsWith('.ts') && readsDate(file));
	expect(readers.map((file) => file.replaceAll('\\', '/'))).toEqual([
		'service/response/retryAfter.ts',
	]);
});
