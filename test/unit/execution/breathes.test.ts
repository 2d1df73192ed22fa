import { useVirtualN8n } from '../../support/virtual';

import { recipients } from '../../../dev/engine/workflows';
import { Breather } from '../../../nodes/Workchat/service/breather';

const n8n = useVirtualN8n();
/** Holds the event loop for 10 ms. */
const work = () => void (n8n.clock.now += 10);

test.each([
	['reading', { content: work }, () => {}],
	['sending, if that gives nothing back,', {}, work],
])('%s many items does not hold the event loop', async (_, settings, send) => {
	const breathe = jest.spyOn(Breather.prototype, 'breathe');
	n8n.answer = () => (send(), 'accepted');
	await n8n.run(recipients(20), { stopsOnError: true, ...settings });
	expect(breathe.mock.calls.length).toBeGreaterThan(5);
});
