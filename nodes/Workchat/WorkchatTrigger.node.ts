import {
	jsonParse,
	NodeConnectionTypes,
	type INodeType,
	type INodeTypeDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';

import { readCallback } from './callback/callback';
import { fieldGroups } from './operations';
import { parameter } from './operations/fields/field';
import { optionsParameter } from './operations/options';
import { subtitleOf } from './operations/subtitle';

const RESPONSE_BODY = '{"received":true}';
/**
 * Has no expressions, as n8n would evaluate them for every callback. With an empty `responseData`, n8n
 * responds with the return value of `webhook` (n8n 2.40, webhook-on-received-response-extractor.ts);
 * without one, it would respond with the text "firstEntryJson".
 */
const WEBHOOK = { path: 'workchat', responseMode: 'onReceived', responseData: '' } as const;

const START_ON = [
	{
		name: 'Every Callback',
		value: 'every',
		description: 'One item with its body, headers and query',
	},
	{
		name: 'Every Event',
		value: 'event',
		description: 'One item for each entry of the list in a callback, or for its body',
	},
	...fieldGroups.map(({ name, displayName }) => ({
		name: `Callbacks With a ${displayName}`,
		value: name,
		description: 'One item for each; other callbacks are ignored',
	})),
];

export class WorkchatTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Workchat Trigger',
		name: 'workchatTrigger',
		icon: { light: 'file:workchat.svg', dark: 'file:workchat.dark.svg' },
		group: ['trigger'],
		// With version 1, n8n would evaluate an expression before it reads the body (n8n 2.41,
		// webhook-helpers.js: parseRequestBody).
		version: 2,
		subtitle: subtitleOf('startOn', START_ON),
		// n8n's search shows this description for both nodes of the package.
		description:
			'Sends feed videos, downloads files, and starts the workflow when Workchat posts a callback',
		eventTriggerDescription: 'Waiting for a callback at the Test URL',
		activationMessage: 'Callbacks that are posted to the Production URL now start this workflow.',
		defaults: { name: 'Workchat Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		webhooks: [
			{ ...WEBHOOK, name: 'default', httpMethod: 'POST' },
			{ ...WEBHOOK, name: 'setup', httpMethod: 'GET', ndvHideUrl: true },
		],
		properties: [
			{
				displayName:
					"Under Webhook URLs, copy the Production URL, enter it as the callback address in Workchat's console, and publish this workflow. Keep this URL secret: anything that is posted to it starts the workflow, every time.",
				name: 'notice',
				type: 'notice',
				default: '',
			},
			parameter('startOn', 'Start On', 'every', {
				type: 'options',
				noDataExpression: true,
				options: START_ON,
			}),
			optionsParameter([
				parameter('responseBody', 'Response Body', RESPONSE_BODY, {
					noDataExpression: true,
					description:
						'The response to every callback, sent at once with HTTP status 200. Which response Workchat expects is not documented.',
				}),
			]),
		],
	};

	/** These do nothing, as the user enters the webhook's URL in the service's console. */
	webhookMethods = {
		default: { checkExists: async () => true, create: async () => true, delete: async () => true },
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		const options = this.getNodeParameter('options', {}) as { responseBody?: string };
		const webhookResponse = options.responseBody ?? RESPONSE_BODY;
		const isJson = jsonParse(webhookResponse, { fallbackValue: () => undefined }) !== undefined;
		const type = isJson ? 'application/json' : 'text/plain';
		this.getResponseObject().setHeader('Content-Type', `${type}; charset=utf-8`);
		if (this.getWebhookName() === 'setup') return { webhookResponse };

		const items = await readCallback(this);
		if (items.length === 0) return { webhookResponse };
		return { webhookResponse, workflowData: [items.map((json) => ({ json }))] };
	}
}
