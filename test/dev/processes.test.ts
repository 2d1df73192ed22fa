import { once } from 'node:events';
import { createServer } from 'node:net';

import { freePorts } from '../../dev/n8n/processes';

test('those that ask at the same time get different ports, below those of outgoing connections', async () => {
	const ports = (await Promise.all([freePorts(200), freePorts(200), freePorts(200)])).flat();
	expect(new Set(ports).size).toBe(600);
	expect(Math.max(...ports)).toBeLessThan(32_768);
	expect(Math.min(...ports)).toBeGreaterThanOrEqual(1024);
});

test('a port at which something listens is left out', async () => {
	const [port = 0] = await freePorts(1);
	const used = port + 1;
	const server = createServer().listen(used, '127.0.0.1');
	await once(server, 'listening');
	expect(await freePorts(3)).not.toContain(used);
	await once(server.close(), 'close');
});
