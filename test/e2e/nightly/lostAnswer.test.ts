import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

import { NODE, recipients, SEND, TRIGGER, workflowOf } from '../../../dev/engine/workflows';
import { doubles, endsOf, received } from '../support/messages';
import { startPostgres } from '../support/servers';
import { useN8n } from '../support/setup';

/**
 * PostgreSQL writes what n8n is to remember, and the connection breaks before n8n hears of it: nobody
 * is sent to twice.
 */

const WRITE = /(INSERT INTO|UPDATE) [^ ]*"processed_data"/;
/** ReadyForQuery outside a transaction (PostgreSQL 15, Message Formats): what was asked is committed. */
const DONE = Buffer.from('Z\0\0\0\x05I', 'latin1');

/** Which of the next writes are to be cut off, from 1; and how many were. */
let next: number[] = [];
let cuts = 0;

/** Between n8n and PostgreSQL: breaks a connection after a write was done, before n8n hears it. */
function pass(client: Socket, database: Socket): void {
	let isDoomed = false;
	for (const socket of [client, database]) socket.on('error', () => {});
	client.on('close', () => database.destroy());
	database.on('close', () => client.destroy());
	client.on('data', (data: Buffer) => {
		if (WRITE.test(data.toString('latin1'))) {
			isDoomed = next.includes(1);
			next = next.map((number) => number - 1).filter((number) => number > 0);
		}
		database.write(data);
	});
	database.on('data', (data: Buffer) => {
		if (!isDoomed || !data.subarray(-DONE.length).equals(DONE)) return void client.write(data);
		cuts++;
		client.destroy();
	});
}

const here = useN8n(async (folder) => {
	const postgres = await startPostgres(folder);
	const target = Number(postgres.DB_POSTGRESDB_PORT);
	const server = createServer((client) => pass(client, connect(target, '127.0.0.1')));
	await once(server.listen(0, '127.0.0.1'), 'listening');
	server.unref();
	return { ...postgres, DB_POSTGRESDB_PORT: String((server.address() as AddressInfo).port) };
});

test.each([[[1]], [[2]], [[3]], [[1, 2]]])('at the writes %j: no false word', async (numbers) => {
	const options = { maxTries: 1, sendOnceKey: 'spring' };
	const settings = { onError: 'continueRegularOutput' } as const;
	const workflow = workflowOf(recipients(5), { ...SEND, options }, settings);
	const { id } = await here.n8n.addWorkflow(workflow);
	const ends = async () => endsOf(await here.n8n.run(id, TRIGGER), NODE);
	next = numbers;
	const first = await ends();
	expect(cuts).toBeGreaterThan(0);
	cuts = 0;
	const arrived = received(here);
	const second = await ends();
	for (const [index, end] of first.entries()) {
		const hasArrived = arrived.includes(`customer-${index + 1}`);
		if (end === 'sent') expect([hasArrived, second[index]]).toEqual([true, 'skipped']);
		else expect([end, hasArrived]).toEqual(['unknown', false]);
	}
	expect(doubles(here)).toEqual([]);
});
