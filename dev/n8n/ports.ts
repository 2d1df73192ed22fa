import { randomInt } from 'node:crypto';

import getPort from 'get-port';

const host = '127.0.0.1';
/**
 * Below the ports of outgoing connections (from 32768 on in Linux, ip_local_port_range of its ip-sysctl;
 * from 49152 on by RFC 6335 section 6). Otherwise, a connection might use a port before its server does.
 */
const LAST = 32_767;
/** It starts at random, as other processes choose ports, too. */
let next = randomInt(20_000, 30_000);

/**
 * Free ports of this computer. No port is returned twice: if two n8n start with the same port, one ends, and
 * still seems to be ready, as the other one answers. get-port remembers its ports for half a minute, which
 * is too short for n8n on a busy computer.
 */
export async function freePorts(count: number): Promise<number[]> {
	const ports: number[] = [];
	while (ports.length < count) {
		const port = await getPort({ host, port: getPort.makeRange(next, LAST) });
		next = Math.max(next, port + 1);
		ports.push(port);
	}
	return ports;
}

/** Fails if another program uses the port. */
export async function expectFree(port: number, user: string, orElse?: string): Promise<void> {
	if ((await getPort({ host, port })) === port) return;
	const advice = ['Stop the program that uses it', orElse].filter(Boolean).join(', or ');
	throw new Error(`${user} needs port ${port}, which is in use. ${advice}.`);
}
