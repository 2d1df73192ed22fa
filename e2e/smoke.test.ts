import { outputOf } from '../engine/outputOf';
import { NODE, recipients, SEND, TRIGGER, workflowOf } from '../test/workflows';
import { useN8n } from './setup';

const here = useN8n();

test('sends', async () => {
	const { id } = await here.n8n.addWorkflow(workflowOf(recipients(3), SEND));
	const execution = await here.n8n.run(id, TRIGGER);
	expect(outputOf(execution, NODE)).toHaveLength(3);
	expect(here.sandbox.messages).toHaveLength(3);
});
