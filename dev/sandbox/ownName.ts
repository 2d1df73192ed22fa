import { isIP } from 'node:net';

/** Names of this machine, also for a container on it. */
const OWN_NAMES = ['localhost', 'host.docker.internal', 'host.containers.internal'];

/**
 * Whether a `Host` header means this machine. A page of any site may lead its own name here, and then
 * read all that is answered (DNS rebinding); an address it cannot choose.
 * @param names further ones
 */
export function isOwnName(host: string | undefined, names: string[]): boolean {
	if (!host) return true;
	const name = host
		.replace(/\.?(?::\d+)?$/, '')
		.replace(/^\[(.*)\]$/, '$1')
		.toLowerCase();
	const known = [...OWN_NAMES, ...names.map((further) => further.toLowerCase())];
	return isIP(name) !== 0 || name.endsWith('.localhost') || known.includes(name);
}
