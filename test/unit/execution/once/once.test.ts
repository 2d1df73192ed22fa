import type { IExecuteFunctions } from 'n8n-workflow';

import { useVirtualN8n } from '../../../support/virtual';

import { journalOf } from '../../../../nodes/Workchat/execution/once/journal';

const n8n = useVirtualN8n();

test('more keys than n8n keeps are a notice', async () => {
	const send = async (toId: string) => (await n8n.run([{ toId }], { sendOnceKey: 'spring' })).hints;
	await send('first');
	const journal = journalOf({
		getWorkflow: () => ({ id: n8n.workflowId() }),
		getNode: () => ({ id: 'node' }),
		helpers: {},
	} as IExecuteFunctions);
	expect(journal.count).toBe(1);
	journal.count = 20_499;
	expect(await send('last')).toEqual([]);
	expect(await send('one more')).toEqual([
		expect.stringMatching(/^n8n remembers the last 20500 messages.*could be sent again/),
	]);
});
