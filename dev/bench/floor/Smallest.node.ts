import type { IDataObject, IExecuteFunctions, INodeTypeDescription } from 'n8n-workflow';

import { VIDEO } from '../../engine/workflows';

const NAMES = ['instance_guid', 'toId', ...Object.keys(VIDEO), 'feedVideo', 'maxConcurrency'];

/**
 * The smallest node that sends a message for each item: it evaluates the same expressions and asks
 * with n8n's helper, as concurrently as it is told. No checks, no errors, no promise: what is slower
 * than this is ours, and what is not is n8n's.
 */
export class Smallest {
	description: INodeTypeDescription = {
		displayName: 'Smallest',
		name: 'smallest',
		group: ['output'],
		version: 1,
		description: 'Sends feed videos, and nothing else',
		defaults: { name: 'Smallest' },
		inputs: ['main'],
		outputs: ['main'],
		credentials: [{ name: 'workchatApi', required: true }],
		properties: NAMES.map((name) => ({ displayName: name, name, type: 'string', default: '' })),
	};

	async execute(this: IExecuteFunctions) {
		const items = this.getInputData();
		const { baseUrl, apiKey } = await this.getCredentials('workchatApi');
		const { maxConcurrency, ...parameters } = this.getNode().parameters;
		const given = Object.keys(parameters).filter((name) => parameters[name] !== '');
		const bodyOf = (index: number) => {
			const values = given.map((name) => [name, this.getNodeParameter(name, index)]);
			const { feedVideo = items[index]!.json, ...fields } = Object.fromEntries(values);
			return { ...feedVideo, ...fields } as IDataObject;
		};
		const outputs: Array<{ json: IDataObject; pairedItem: number }> = [];
		const indexes = items.keys();
		const work = async () => {
			for (const index of indexes) {
				const json = (await this.helpers.httpRequest({
					method: 'POST',
					url: `${String(baseUrl)}/workchat/messages/send-feed-video`,
					headers: { 'X-Service-Key': apiKey },
					body: bodyOf(index),
					json: true,
				})) as IDataObject;
				outputs[index] = { json, pairedItem: index };
			}
		};
		await Promise.all(Array.from({ length: Number(maxConcurrency) }, work));
		return [outputs];
	}
}
