import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Leads to a service as a long line would: over TLS 1.3, with a delay each way. Everything stays on
 * this machine, so it has all the bandwidth that there is, and loses nothing.
 */
export class Line {
	/** Milliseconds from one end to the other and back. */
	roundTrip = 0;

	private constructor(readonly port: number) {}

	/** @param service the port where it is served without TLS */
	static async start(tls: { cert: string; key: string }, service: number): Promise<Line> {
		const far = await listen(
			createTlsServer({ ...tls, minVersion: 'TLSv1.3' }, (socket) => {
				const onward = connect(service, '127.0.0.1');
				pass(socket, onward, () => 0);
				pass(onward, socket, () => 0);
			}),
		);
		const near = createServer((socket) => {
			const onward = connect(far, '127.0.0.1');
			const half = line.roundTrip / 2;
			// TCP shakes hands once there and back before anything else may leave; here it did at once.
			const opened = Date.now() + line.roundTrip;
			pass(socket, onward, () => half + Math.max(0, opened - Date.now()));
			pass(onward, socket, () => half);
		});
		const line = new Line(await listen(near));
		return line;
	}
}

/** Passes on all that comes, each part after its delay, and the end. */
function pass(from: Socket, to: Socket, delay: () => number): void {
	let last: Promise<unknown> = Promise.resolve();
	const later = (act: () => void) => {
		last = Promise.all([last, sleep(delay())]).then(act);
	};
	from.setNoDelay();
	from.on('data', (part) => later(() => to.write(part)));
	from.on('end', () => later(() => to.end()));
	from.on('error', () => to.destroy());
}

async function listen(server: Server): Promise<number> {
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	return (server.address() as AddressInfo).port;
}
