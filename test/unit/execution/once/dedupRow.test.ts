import { failing, useVirtualN8n } from '../../../support/virtual';

import { DeduplicationStandIn, type Faults } from '../../../../dev/engine/deduplicationStandIn';
import { DedupRow } from '../../../../nodes/Workchat/execution/once/dedupRow';

const n8n = useVirtualN8n();

function rowWith(faults: Faults) {
	const rows = new DeduplicationStandIn({ latency: 0, ...faults });
	const row = new DedupRow({ ...rows.helpersFor(), logger: n8n.logger });
	return { row, rows };
}

test.each([
	[1, 50],
	[3, 1550],
])(
	"if n8n's store fails %d times, the node checks again, each time with its own entries",
	async (times, at) => {
		const { row, rows } = rowWith(failing((check) => check <= times));
		const [found, attempt] = await n8n.until(row.check((one) => [`entry ${one}`]));
		expect([found.size, attempt, n8n.clock.now]).toEqual([0, times, at]);
		expect(rows.entries()).toEqual([`entry ${times}`]);
	},
);

test('the node gives up a check after four attempts, and a removal after one', async () => {
	const { row, rows } = rowWith(failing(() => true));
	await expect(n8n.until(row.check(() => ['a']))).rejects.toThrow('gone');
	await expect(n8n.until(row.remove(['a']))).rejects.toThrow('gone');
	expect(rows.calls).toEqual([...Array<string>(4).fill('check'), 'remove']);
});

test('a call times out after 10 s, and the next call still waits for it', async () => {
	const before = async () => await n8n.clock.sleep(30_000);
	const { row, rows } = rowWith({ before });
	const checked = row.check(() => ['a']);
	const removed = row.remove(['a']).catch(String);
	await expect(n8n.until(checked)).rejects.toThrow('does not answer');
	expect(n8n.clock.now).toBe(10_000);
	expect(rows.calls).toEqual(['check']);
	expect(await n8n.until(removed)).toContain('does not answer');
	await n8n.until(n8n.clock.sleep(200_000));
	expect(rows.entries()).toEqual([]);
});

test('entries recorded while another call is in flight share one call, and all its attempts', async () => {
	const { row, rows } = rowWith({ ...failing((check) => check === 2), latency: 40 });
	const records = ['a', 'b', 'c'].map(async (entry) => {
		if (entry !== 'a') await n8n.clock.sleep(1);
		await row.record([entry]);
	});
	await n8n.until(Promise.all(records));
	expect(rows.calls).toEqual(['check', 'check', 'check']);
	expect(rows.entries()).toEqual(['a', 'b', 'c']);
});
