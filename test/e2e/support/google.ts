import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer as createProxy } from 'node:http';
import { createServer } from 'node:https';
import { connect, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';

import { selfSigned } from '../../support/certificate';
import { atEnd } from './atEnd';

type Cells = string[][];
interface Values {
	range: string;
	values: Cells;
}

/** Google's Sheets, as far as n8n's node asks them. It knows no address but Google's, so a proxy leads here. */
export class Google {
	/** By their names. */
	readonly sheets: Record<string, Cells> = {};
	/** Of a service account. */
	static readonly credential = {
		email: 'robot@example.com',
		privateKey: generateKeyPairSync('rsa', {
			modulusLength: 2048,
			privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
			publicKeyEncoding: { type: 'spki', format: 'pem' },
		}).privateKey,
	};

	/** @returns the settings with which n8n finds it */
	async start(folder: string): Promise<Record<string, string>> {
		const { key, cert } = await selfSigned('*.googleapis.com');
		const google = createServer({ key, cert }, async (request, response) => {
			const body = request.method === 'GET' ? {} : await json(request).catch(() => ({}));
			const path = decodeURIComponent(new URL(request.url ?? '', 'https://google').pathname);
			response.setHeader('Content-Type', 'application/json');
			response.end(JSON.stringify(this.answer(path, body as Values & { data: Values[] })));
		});
		const port = await listening(google);
		const proxy = createProxy().on('connect', (_, socket, head) => {
			const there = connect(port, '127.0.0.1', () => {
				socket.write('HTTP/1.1 200 OK\r\n\r\n');
				there.write(head);
				there.pipe(socket).pipe(there);
			});
			for (const each of [socket, there]) each.on('error', () => {}); // n8n is stopped
		});
		const certificate = join(folder, 'google.pem');
		await writeFile(certificate, cert);
		const HTTPS_PROXY = `http://127.0.0.1:${await listening(proxy)}`;
		return { HTTPS_PROXY, NODE_EXTRA_CA_CERTS: certificate };
	}

	private answer(path: string, { range, values, data }: Values & { data: Values[] }): object {
		const titles = Object.keys(this.sheets);
		if (path === '/token') return { access_token: 'fake-token', expires_in: 3600 };
		if (path.endsWith('/values:batchUpdate'))
			return { written: data.map((each) => this.write(each)) };
		if (values) return this.write({ range, values });
		const [, title] = /\/values\/'?([^'!]*)/.exec(path) ?? [];
		if (title === undefined) {
			return { sheets: titles.map((title, sheetId) => ({ properties: { title, sheetId } })) };
		}
		// Without what is empty at the end of a row, and at the end of all.
		const rows = (this.sheets[title] ?? []).map((row) =>
			row.slice(0, row.findLastIndex(Boolean) + 1),
		);
		return { range: title, values: rows.length > 0 ? rows : undefined };
	}

	/** Into one cell, `List!B3`, or into a row, `List!1:1`. */
	private write({ range, values: [row = []] }: Values): object {
		const [, title = '', column, at] = /^'?([^'!]*)'?!([A-Z]?)(\d+)/.exec(range) ?? [];
		const cells = (this.sheets[title]![Number(at) - 1] ??= []);
		const from = column ? column.charCodeAt(0) - 65 : 0;
		for (const [index, value] of row.entries()) cells[from + index] = String(value);
		return { range };
	}
}

async function listening(server: Server): Promise<number> {
	await once(server.listen(0, '127.0.0.1'), 'listening');
	atEnd(async () => void server.close());
	return (server.address() as AddressInfo).port;
}
