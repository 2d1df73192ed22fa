import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Running } from '../../dev/n8n/processes';

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
