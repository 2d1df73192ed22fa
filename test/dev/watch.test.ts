import { cpSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import execa from 'execa';

import { projectRoot } from '../../dev/projectRoot';
import { eventually } from '../support/turns';

test('the watcher says where an error is, and builds again once it is fixed', async () => {
	const folder = mkdtempSync(join(tmpdir(), 'watched-'));
	for (const path of ['gulpfile.js', 'package.json', 'tsconfig.json', 'credentials', 'nodes'])
		cpSync(join(projectRoot, path), join(folder, path), { recursive: true });
	symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'));
	const DIST = join(folder, 'built');
	let log = '';
	const gulp = execa('node', ['node_modules/gulp/bin/gulp.js', 'watch', '-L'], {
		...{ cwd: folder, env: { DIST }, all: true, reject: false },
	});
	gulp.all?.on('data', (output) => (log += output));
	const save = async (file: string, content: string, expected: string) => {
		log = '';
		let turn = 0; // again and again, as it may not watch yet
		await eventually(() => {
			if (turn++ % 100 === 0) writeFileSync(join(folder, file), content);
			return log.includes(expected);
		});
	};
	const file = 'nodes/Workchat/common/digest.ts';
	const sound = readFileSync(join(projectRoot, file), 'utf8');
	try {
		await save(file, `const x = = 3;\n${sound}`, `${file}:1:10`);
		await save(file, `${sound}import './missing';\n`, 'Could not resolve "./missing"');
		await save(file, sound, 'Built again');
		// What was saved more than once may be built once more.
		await eventually(() => readFileSync(join(DIST, 'workchat.js')).length > 10_000);
	} finally {
		gulp.kill();
		await gulp;
	}
});
