import type { IDataObject, IExecuteFunctions, INodeTypeDescription } from 'n8n-workflow';

import { VIDEO } from '../../engine/workflows';

/** Request fields that have a parameter of their own, in either way of filling them in. */
const ALWAYS = ['instance_guid', 'toId'];
const FIELDS = Object.keys(VIDEO);

const property = (name: string, type: 'string' | 'number' | 'json') => {
	return { displayName: name, name, type, default: '' };
};

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
		properties: [
			property('mapping', 'string'),
			property('maxConcurrency', 'number'),
			...[...ALWAYS, ...FIELDS].map((name) => property(name, 'string')),
			property('feedVideo', 'json'),
		],
	};

	async execute(this: IExecuteFunctions) {
		const items = this.getInputData();
		const { baseUrl, apiKey } = await this.getCredentials('workchatApi');
		const text = (name: string, index: number) => this.getNodeParameter(name, index) as string;
		const fields = (names: string[], index: number) =>
			Object.fromEntries(names.map((name) => [name, text(name, index)]));
		const mapping = text('mapping', 0);
		const videoOf = (index: number): IDataObject => {
			if (mapping === 'fields') return fields(FIELDS, index);
			if (mapping === 'input') return items[index]?.json ?? {};
			const json = this.getNodeParameter('feedVideo', index) as IDataObject | string;
			return typeof json === 'string' ? (JSON.parse(json) as IDataObject) : json;
		};
		const outputs: Array<{ json: IDataObject; pairedItem: number }> = [];
		const indexes = items.keys();
		const work = async () => {
			for (const index of indexes) {
				const json = (await this.helpers.httpRequest({
					method: 'POST',
					url: `${String(baseUrl)}/workchat/messages/send-feed-video`,
					headers: { 'X-Service-Key': apiKey },
					body: { ...videoOf(index), ...fields(ALWAYS, index) },
					json: true,
				})) as IDataObject;
				outputs[index] = { json, pairedItem: index };
			}
		};
		const workers = Array.from({ length: this.getNodeParameter('maxConcurrency', 0) as number });
		await Promise.all(workers.map(work));
		return [outputs];
	}
}
