import { eventually, type Editor } from './editor';
import { OpenAiStub } from './openAiStub';
import type { Here } from './setup';
import { Workflow } from './workflow';

/**
 * Opens the recipe with the AI agent in n8n's chat. A person asks for a video to somebody, the model
 * calls the tool, and the person approves what the recipe asks: what the tool tells the model then.
 */
export async function approveInChat(
	here: Here & { editor: Editor },
	Recipient_ID: string,
	question: string,
): Promise<string[]> {
	const { editor } = here;
	const model = await OpenAiStub.start();
	const name = `Model ${model.url}`;
	await here.n8n.addCredential('openAiApi', name, { apiKey: 'fake-key', url: model.url });
	const recipe = await Workflow.import(here, 'ai-agent-that-sends-a-video', {
		'Chat Model': { credentials: { openAiApi: { id: null, name } } },
	});
	await editor.openWorkflow(recipe.id);
	const input = editor.see('chat-input');
	// n8n remembers whether the chat was open.
	await eventually(async () => {
		if (!(await input.isVisible())) await editor.see('workflow-chat-button').click();
		await input.waitFor({ timeout: 5000 });
	});
	const latest = editor.page.locator('.chat-messages-list .chat-message').last();
	const lines = async () => (await latest.innerText()).split(/\n+/);

	// As n8n asks the model for them: what the tool takes, and what the approval takes.
	const parameters = { toolParameters: { Recipient_ID }, hitlParameters: {} };
	model.willCall([{ tool: 'Send_Feed_Video', arguments: parameters }]);
	await input.fill(`Send the video to ${Recipient_ID}`);
	await editor.page.keyboard.press('Enter');
	await eventually(async () => expect(await lines()).toEqual([question, 'Approve', 'Decline']));
	await latest.getByRole('button', { name: 'Approve' }).click();
	await recipe.ended(1);
	await eventually(async () => expect(await lines()).toEqual([model.lastWords]));
	return model.toolMessages;
}
