import type { IExecuteFunctions } from 'n8n-workflow';

import { useVirtualN8n } from '../../../support/virtual';

import { DeduplicationStandIn } from '../../../../dev/engine/deduplicationStandIn';
import { journalOf } from '../../../../nodes/Workchat/execution/once/journal';
import { byKeysName, entriesOf, runName } from '../../../../nodes/Workchat/execution/once/names';

const n8n = useVirtualN8n();
const journalOfNode = (workflow: string, node = 'node') =>
	journalOf({
		getWorkflow: () => ({ id: workflow }),
		getNode: () => ({ id: node }),
		helpers: {},
	} as IExecuteFunctions);

test('each node of each workflow has a journal of its own', () => {
	expect(journalOfNode('one')).toBe(journalOfNode('one'));
	expect(journalOfNode('one')).not.toBe(journalOfNode('one', 'another node'));
	expect(journalOfNode('one')).not.toBe(journalOfNode('another'));
});

test('more keys than n8n keeps are a notice', async () => {
	const send = async (toId: string) => (await n8n.run([{ toId }], { sendOnceKey: 'spring' })).hints;
	await send('first');
	const journal = journalOfNode(n8n.workflowId());
	expect(journal.count).toBe(1);
	journal.count = 20_499;
	expect(await send('last')).toEqual([]);
	expect(await send('one more')).toEqual([
		expect.stringMatching(/^n8n remembers the last 20500 messages.*could be sent again/),
	]);
});

test('a Retry ends when n8n has noted that another record tells of its messages now', async () => {
	n8n.answer = () => 'refused';
	const failed = await n8n.run([{ toId: 'first' }], { stopsOnError: true });
	await n8n.retry(failed);
	const ofRecord = n8n.memory.entries().filter((entry) => entry.includes('"id"'));
	const { id } = failed;
	expect(ofRecord).toEqual([runName({ id }), ...entriesOf(byKeysName({ id }))]);
});

test.each<[string, boolean, string]>([
	['a first execution', false, 'notSent'],
	['a Retry, as a killed execution may have sent it', true, 'unknown'],
])('where n8n does not answer, a message with a key is in %s', async (_, isRetry, end) => {
	const message = [{ toId: 'first' }];
	const settings = { sendOnceKey: 'spring' };
	const killed = await n8n.run(message, settings);
	const before = () => {
		throw new Error('gone');
	};
	n8n.memory = new DeduplicationStandIn({ before });
	const saved = { ...killed, saved: {} };
	const { ends } = isRetry ? await n8n.retry(saved) : await n8n.run(message, settings);
	expect(ends).toEqual([end]);
});

test('what is asked for while the run is stopped is not held for ever', async () => {
	const settings = { sendOnceKey: 'spring', resendUnknown: true };
	n8n.answer = () => 'lost';
	await n8n.run([{ toId: 'first' }], settings);
	n8n.answer = () => 'accepted';
	const stopped = n8n.begin([{ toId: 'first' }], settings);
	await n8n.pass(100); // it looks for the second time, before it would resend
	stopped.cancel();
	await n8n.pass();
	expect((await n8n.run([{ toId: 'first' }], settings)).ends).toEqual(['sent']);
});
