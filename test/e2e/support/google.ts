import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { TLSSocket } from 'node:tls';

import { selfSigned } from '../../support/certificate';

interface Values {
	range: string;
	values?: string[][];
}
interface Asked extends Values {
	data: Values[];
}

/** Google's Sheets, as far as n8n's node asks them. It knows no address but Google's, so this is its proxy, too. */
export class Google {
	/** Their cells, by their names. */
	readonly sheets: Record<string, string[][]> = {};
	/** Whether it is shared for reading only. */
	isReadOnly = false;
	/** A service account. */
	static readonly credential = {
		email: 'robot@example.com',
		privateKey: generateKeyPairSync('rsa', { modulusLength: 2048 })
			.privateKey.export({ type: 'pkcs8', format: 'pem' })
			.toString(),
	};

	/** @returns the settings with which n8n finds it */
	async start(folder: string): Promise<Record<string, string>> {
		const certificate = await selfSigned('*.googleapis.com');
		const server = createServer(async (request, response) => {
			const body = await json(request).catch(() => ({}));
			if (this.isReadOnly && /batchUpdate|PUT/.test(`${request.method} ${request.url}`)) {
				return void response.writeHead(403).end('{"error":{"message":"no permission"}}');
			}
			const answer = this.answer(decodeURIComponent(request.url ?? ''), body as Asked);
			response.setHeader('Content-Type', 'application/json').end(JSON.stringify(answer));
		});
		server.on('connect', (_, socket: Socket) => {
			socket.write('HTTP/1.1 200 OK\r\n\r\n');
			const there = new TLSSocket(socket, { isServer: true, ...certificate });
			there.on('error', () => {}); // n8n is stopped
			server.emit('connection', there);
		});
		await once(server.listen(0, '127.0.0.1').unref(), 'listening');
		const NODE_EXTRA_CA_CERTS = join(folder, 'google.pem');
		await writeFile(NODE_EXTRA_CA_CERTS, certificate.cert);
		const { port } = server.address() as AddressInfo;
		return { HTTPS_PROXY: `http://127.0.0.1:${port}`, NODE_EXTRA_CA_CERTS };
	}

	private answer(path: string, { range, values, data }: Asked): object {
		if (path === '/token') return { access_token: 'fake-token', expires_in: 3600 };
		for (const each of data ?? (values ? [{ range, values }] : [])) this.write(each);
		const [, title] = /\/values\/'([^']*)/.exec(path) ?? [];
		// Without what is empty at the end of a row.
		const isLast = (_: string, at: number, row: string[]) => row.slice(at).join('') !== '';
		const rows = (title ? this.sheets[title] : [])?.map((row) => row.filter(isLast));
		const properties = Object.keys(this.sheets).map((title, sheetId) => ({ title, sheetId }));
		return { values: rows, sheets: properties.map((each) => ({ properties: each })) };
	}

	/** Into one cell, `List!B3`, or into a row, `List!1:1`. */
	private write({ range, values: [row = []] = [] }: Values): void {
		const [, title = '', column, at] = /^([^!]*)!([A-Z]?)(\d+)/.exec(range) ?? [];
		const cells = this.sheets[title]![Number(at) - 1]!;
		const from = (column || 'A').charCodeAt(0) - 65;
		for (const [index, value] of row.entries()) cells[from + index] = String(value);
	}
}
