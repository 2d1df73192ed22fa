import { cpSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import execa from 'execa';

import { projectRoot } from '../../dev/projectRoot';
import { eventually } from '../support/turns';

const COPIED = [
	...['gulpfile.js', 'jest.config.js', 'package.json', 'tsconfig.json', 'tsconfig.check.json'],
	...['credentials', 'nodes', 'dev/projectRoot.ts', 'dev/ready.js', 'test/support'],
];
/** Prints what the built node calls its first operation. */
const TEST = `test('the built node', () => {
	const { resources } = requireOutside('../../dist/workchat.js');
	process.stderr.write('built: ' + resources[0].operations[0].name + '.\\n');
});
`;

test('Jest builds before each run, also without npm and in watch mode, so it tests the current sources', async () => {
	const folder = mkdtempSync(join(tmpdir(), 'built-'));
	for (const path of COPIED)
		cpSync(join(projectRoot, path), join(folder, path), { recursive: true });
	symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'));
	cpSync(join(projectRoot, 'dist'), join(folder, 'dist'), { recursive: true });
	const operation = join(folder, 'nodes/Workchat/operations/download.ts');
	const source = readFileSync(operation, 'utf8');
	const save = (name: string) =>
		writeFileSync(operation, source.replace("'Download File'", `'${name}'`));
	save('First Name');
	const test = join(folder, 'test', 'a.test.ts');
	writeFileSync(test, TEST);

	const jest = ['node_modules/jest/bin/jest.js', '--watchAll', '--runInBand'];
	const running = execa('node', jest, { cwd: folder, all: true, reject: false });
	let log = '';
	running.all?.on('data', (output) => (log += output));
	const nameIn = () => /built: (.*)\./.exec(log)?.[1];
	try {
		await eventually(() => nameIn() !== undefined);
		expect(nameIn()).toBe('First Name');
		log = '';
		save('Second Name');
		let turn = 0; // again and again, as Jest overlooks what changes before its run has ended
		await eventually(() => {
			if (turn++ % 100 === 0) writeFileSync(test, `${TEST}\n`);
			return nameIn() !== undefined;
		});
		expect(nameIn()).toBe('Second Name');
	} finally {
		running.kill();
		await running;
	}
});
