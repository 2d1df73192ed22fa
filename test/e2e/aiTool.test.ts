import { CREDENTIAL, nodeOf, SEND } from '../../dev/engine/workflows';
import { useEditor, useN8n } from './setup';

const here = useN8n();
const opened = useEditor(here);

test('n8n offers the node as a tool, whose fields the model can fill', async () => {
	const { editor } = opened;
	await editor.searchInNewWorkflow('AI Agent');
	await editor.offered('AI Agent').click();
	await editor.closeNode();
	await editor
		.see('canvas-node-input-handle')
		.filter({ hasText: 'Tool' })
		.getByTestId('canvas-handle-plus')
		.click();
	await editor.search('workchat');
	await editor.offered('Workchat Tool').click();
	await editor.see('ndv').waitFor();

	const recipient = editor.field('toId');
	await recipient.hover();
	await recipient.getByTestId('from-ai-override-button').click();
	expect(await editor.see('fromAI-override-field').innerText()).toContain(
		'Defined automatically by the model',
	);
});

test('the tool sends what is filled in for $fromAI, once', async () => {
	const { editor } = opened;
	const { id } = await here.n8n.addWorkflow({
		name: 'Agent',
		nodes: [
			nodeOf('Chat', '@n8n/n8n-nodes-langchain.manualChatTrigger', { typeVersion: 1.1 }),
			nodeOf('Agent', '@n8n/n8n-nodes-langchain.agent', { typeVersion: 3, position: [220, 0] }),
			nodeOf('Tool', 'n8n-nodes-workchat.workchatTool', {
				position: [260, 220],
				parameters: {
					...SEND,
					toId: "={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('Recipient_ID', ``, 'string') }}",
				},
				credentials: { workchatApi: { id: '1', name: CREDENTIAL } },
			}),
		],
		connections: {
			Chat: { main: [[{ node: 'Agent', type: 'main', index: 0 }]] },
			Tool: { ai_tool: [[{ node: 'Agent', type: 'ai_tool', index: 0 }]] },
		},
		settings: {},
	});
	await editor.openWorkflow(id);
	await editor.openNode('Tool');
	await editor.see('node-execute-button').click();
	const asked = editor.see('fromAiParameters-modal');
	await asked.locator('input').fill('customer-of-the-model');
	await asked.getByTestId('execute-workflow-button').click();
	await editor.see('output-panel').getByText(/svc_/).first().waitFor();
	expect(here.sandbox.messages.map(({ toId }) => toId)).toEqual(['customer-of-the-model']);
});
