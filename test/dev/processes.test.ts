import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import execa from 'execa';

import { Running } from '../../dev/n8n/processes';
import { projectRoot } from '../../dev/projectRoot';

test('what a program started in its turn ends with it', async () => {
	const log = join(tmpdir(), 'processes.log');
	const args = ['-c', 'sleep 600 & echo $!; wait'];
	const ready = async () => readFileSync(log, 'utf8') !== '';
	const program = await Running.start({ file: 'sh', args, log, ready });
	const started = Number(program.output);
	expect(process.kill(started, 0)).toBe(true);
	await program.stop();
	expect(() => process.kill(started, 0)).toThrow('ESRCH');
});

const sandbox = async (...options: string[]) =>
	await execa.node(join(projectRoot, 'build/dev/sandbox/cli.js'), options, { reject: false });

test.each([
	['abc', 'abc'],
	['70000', '70000'],
	['an empty one', ''],
])('the sandbox names a port that is none: %s', async (_, port) => {
	const { stderr, exitCode } = await sandbox('--port', port);
	expect([stderr, exitCode]).toEqual([`--port ${port} is no port: name one from 0 to 65535.`, 1]);
});

test.each(['--prt', '-x', 'words'])('the sandbox answers %s with its options', async (option) => {
	const { stderr, exitCode } = await sandbox(option);
	expect([stderr, exitCode]).toEqual([expect.stringContaining('--port 4010'), 1]);
	expect((await sandbox('-h')).stdout).toContain('--port 4010');
});
