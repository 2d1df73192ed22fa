import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { freePorts, Running, type Command } from '../../../dev/n8n/processes';
import { atEnd } from './atEnd';

/** Runs a program to its end. */
export const run = promisify(execFile);

/** A server of this machine. */
export interface Place {
	server: Server;
	port: number;
	origin: string;
}

/** Answers until the tests of the file have ended. */
export async function serve(listener: RequestListener): Promise<Place> {
	const server = createServer(listener).listen(0, '127.0.0.1');
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
	const log = join(folder, 'server.log');
	const isReady = async () => await ready(port);
	const command = { ...program, args: args(port), cwd: folder, log, ready: isReady };
	const running = await Running.start(command);
	atEnd(async () => await running.stop());
	return port;
}
