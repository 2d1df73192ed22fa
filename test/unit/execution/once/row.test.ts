import { failing, useVirtualN8n } from '../../../support/virtual';

import { DeduplicationStandIn, type Faults } from '../../../../dev/engine/deduplicationStandIn';
import { Row } from '../../../../nodes/Workchat/execution/once/row';

const n8n = useVirtualN8n();

function rowWith(faults: Faults, workflowId?: string) {
	const rows = new DeduplicationStandIn({ latency: 0, ...faults }, workflowId);
	const row = new Row({ ...rows.helpersFor(), logger: n8n.logger });
	return { row, rows };
}

test.each([
	[1, 50],
	[3, 1550],
])('what fails %d times is asked again, with the entries of that attempt', async (failures, at) => {
	const { row, rows } = rowWith(failing((question) => question <= failures));
	const [found, attempt] = await n8n.until(row.ask((one) => [`entry ${one}`]));
	expect([found.size, attempt, n8n.clock.now]).toEqual([0, failures, at]);
	expect(rows.entries()).toEqual([`entry ${failures}`]);
});

test('a question fails after four tries; a removal fails at once', async () => {
	const { row, rows } = rowWith(failing(() => true));
	await expect(n8n.until(row.ask(() => ['a']))).rejects.toThrow('gone');
	await expect(n8n.until(row.remove(['a']))).rejects.toThrow('gone');
	expect(rows.calls).toEqual([...Array<string>(4).fill('check'), 'remove']);
});

test('n8n without a memory is not asked again', async () => {
	const { row } = rowWith({}, 'another');
	await expect(n8n.until(row.ask(() => ['a']))).rejects.toThrow('needs to initialized');
	expect(n8n.clock.now).toBe(0);
});

test('a silent call is given up after 10 s, and the next waits for it all the same', async () => {
	const before = async () => await n8n.clock.sleep(30_000);
	const { row, rows } = rowWith({ before });
	const asked = row.ask(() => ['a']);
	const removed = row.remove(['a']).catch(String);
	await expect(n8n.until(asked)).rejects.toThrow('does not answer');
	expect(n8n.clock.now).toBe(10_000);
	expect(rows.calls).toEqual(['check']);
	expect(await n8n.until(removed)).toContain('does not answer');
	await n8n.until(n8n.clock.sleep(200_000));
	expect(rows.entries()).toEqual([]);
});

test('what is written while another call is on its way goes in one call, in each attempt all of it', async () => {
	const { row, rows } = rowWith({ ...failing((question) => question === 2), latency: 40 });
	const writes = ['a', 'b', 'c'].map(async (entry) => {
		if (entry !== 'a') await n8n.clock.sleep(1);
		await row.write([entry]);
	});
	await n8n.until(Promise.all(writes));
	expect(rows.calls).toEqual(['check', 'check', 'check']);
	expect(rows.entries()).toEqual(['a', 'b', 'c']);
});
