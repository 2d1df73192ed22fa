import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { freePorts, Running, type Command } from '../../../dev/n8n/processes';
import { atEnd } from './atEnd';

/** A server of this machine. */
export interface Place {
	server: Server;
	port: number;
	origin: string;
}

/** Answers until the tests of the file have ended, on a free port unless told. */
export async function serve(listener: RequestListener, wanted = 0): Promise<Place> {
	const server = createServer(listener).listen(wanted, '127.0.0.1');
	await once(server, 'listening');
	atEnd(async () => {
		server.closeAllConnections();
		await once(server.close(), 'close');
	});
	const { port } = server.address() as AddressInfo;
	return { server, port, origin: `http://127.0.0.1:${port}` };
}

interface Program extends Pick<Command, 'file' | 'env' | 'unprivileged'> {
	/** Where it runs, with its log. */
	folder: string;
	args: (port: string) => string[];
	ready: (port: string) => Promise<boolean>;
}

/** Runs a server program on a free port until the tests of the file have ended; gives the port. */
export async function startProgram({ folder, args, ready, ...program }: Program): Promise<string> {
	const port = String((await freePorts(1))[0]);
	const running = await Running.start({
		...program,
		args: args(port),
		cwd: folder,
		log: join(folder, 'server.log'),
		ready: async () => await ready(port),
	});
	atEnd(async () => await running.stop());
	return port;
}
