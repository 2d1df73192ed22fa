import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** ReadyForQuery outside a transaction (PostgreSQL 15, Message Formats): what was asked is committed. */
const DONE = Buffer.from('Z\0\0\0\x05I', 'latin1');

/** Between n8n and PostgreSQL: breaks a connection after a statement was done, before n8n hears it. */
export class CutConnection {
	/** Statements that were cut off. */
	cuts = 0;
	/** Which of the next ones of such statements are to be, from 1. */
	next: number[] = [];

	private constructor(
		readonly port: number,
		private readonly statement: RegExp,
	) {}

	static async start(target: number, statement: RegExp): Promise<CutConnection> {
		const server = createServer().listen(0, '127.0.0.1');
		await once(server, 'listening');
		const cut = new CutConnection((server.address() as AddressInfo).port, statement);
		server.on('connection', (client) => cut.pass(client, connect(target, '127.0.0.1')));
		server.unref();
		return cut;
	}

	private pass(client: Socket, database: Socket): void {
		let isDoomed = false;
		for (const socket of [client, database]) socket.on('error', () => {});
		client.on('close', () => database.destroy());
		database.on('close', () => client.destroy());
		client.on('data', (data: Buffer) => {
			if (this.statement.test(data.toString('latin1'))) {
				isDoomed = this.next.includes(1);
				this.next = this.next.map((number) => number - 1).filter((number) => number > 0);
			}
			database.write(data);
		});
		database.on('data', (data: Buffer) => {
			if (!isDoomed || !data.subarray(-DONE.length).equals(DONE)) return void client.write(data);
			this.cuts++;
			client.destroy();
		});
	}
}
