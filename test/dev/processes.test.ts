import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import execa from 'execa';

import { Running } from '../../dev/n8n/processes';
import { projectRoot } from '../../dev/projectRoot';

test('stopping a program also ends the processes that it started', async () => {
	const log = join(tmpdir(), 'processes.log');
	const args = ['-c', 'sleep 600 & echo $!; wait'];
	const ready = async () => readFileSync(log, 'utf8') !== '';
	const program = await Running.start({ file: 'sh', args, log, ready });
	const started = Number(program.output);
	expect(process.kill(started, 0)).toBe(true);
	await program.stop();
	expect(() => process.kill(started, 0)).toThrow('ESRCH');
});

const OPTIONS = expect.stringContaining('--port 4010') as string;
test.each([
	[['--port', 'abc'], '--port abc is not a port: enter a number from 0 to 65535.'],
	[['--port', ''], '--port  is not a port: enter a number from 0 to 65535.'],
	[['--prt'], OPTIONS],
	[['words'], OPTIONS],
	[['-h'], ''],
])(
	'with the options %j, the sandbox says what is wrong or lists its options',
	async (options, message) => {
		const program = join(projectRoot, 'build/dev/sandbox/cli.js');
		const { stderr, stdout, exitCode } = await execa.node(program, options, { reject: false });
		expect([stderr, stdout, exitCode]).toEqual(message ? [message, '', 1] : ['', OPTIONS, 0]);
	},
);
