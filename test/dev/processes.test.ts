import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { freePorts } from '../../dev/n8n/ports';
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

test('those that ask at the same time get different ports, below those of outgoing connections', async () => {
	const ports = (await Promise.all([freePorts(100), freePorts(100)])).flat();
	expect(new Set(ports).size).toBe(200);
	expect(Math.max(...ports)).toBeLessThan(32_768);
});
