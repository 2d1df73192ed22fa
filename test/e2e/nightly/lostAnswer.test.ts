import { NODE, recipients, SEND, TRIGGER, workflowOf } from '../../../dev/engine/workflows';
import { CutConnection } from './cutConnection';
import { doubles, endsOf, received } from '../support/messages';
import { startPostgres } from '../support/servers';
import { useN8nAlone } from '../support/setup';

/**
 * PostgreSQL writes what n8n is to remember, and the connection breaks before n8n hears of it: nobody
 * is sent to twice.
 */

let connection: CutConnection;
const here = useN8nAlone(async (folder) => {
	const postgres = await startPostgres(folder);
	connection = await CutConnection.start(
		Number(postgres.DB_POSTGRESDB_PORT),
		/(INSERT INTO|UPDATE) [^ ]*"processed_data"/,
	);
	return { ...postgres, DB_POSTGRESDB_PORT: String(connection.port) };
});

test.each([[[1]], [[2]], [[3]], [[1, 2]]])(
	'at the writes %j: no word is false',
	async (numbers) => {
		const options = { maxTries: 1, sendOnceKey: 'spring' };
		const settings = { onError: 'continueRegularOutput' } as const;
		const workflow = workflowOf(recipients(5), { ...SEND, options }, settings);
		const { id } = await here.n8n.addWorkflow(workflow);
		const ends = async () => endsOf(await here.n8n.run(id, TRIGGER), NODE);
		connection.next = numbers;
		const first = await ends();
		expect(connection.cuts).toBeGreaterThan(0);
		connection.cuts = 0;
		const arrived = received(here);
		const second = await ends();
		for (const [index, end] of first.entries()) {
			const hasArrived = arrived.includes(`customer-${index + 1}`);
			if (end === 'sent') expect([hasArrived, second[index]]).toEqual([true, 'skipped']);
			else expect([end, hasArrived]).toEqual(['unknown', false]);
		}
		expect(doubles(here)).toEqual([]);
	},
);
