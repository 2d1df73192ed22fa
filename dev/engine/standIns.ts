import { writeFile } from 'node:fs/promises';

import {
	NodeConnectionTypes,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';

/**
 * Stand-ins for n8n's own nodes in the example workflows. Each does what the real node does with the
 * parameters in the examples. n8n-nodes-base itself is too large to install for them.
 */
export const standIns = new Map<string, INodeType>([
	['n8n-nodes-base.manualTrigger', standIn(passOn, [], { group: ['trigger'], inputs: [] })],
	['n8n-nodes-base.noOp', standIn(passOn, [])],
	['n8n-nodes-base.set', standIn(editFields, ['jsonOutput'])],
	['n8n-nodes-base.splitOut', standIn(splitOut, ['fieldToSplitOut'])],
	['n8n-nodes-base.splitInBatches', loopOverItems()],
	['n8n-nodes-base.switch', switchByRules()],
	['n8n-nodes-base.readWriteFile', standIn(writeFiles, ['fileName'])],
]);

function standIn(
	execute: (this: IExecuteFunctions) => Promise<INodeExecutionData[]>,
	parameters: string[],
	description: Partial<INodeTypeDescription> = {},
): INodeType {
	return {
		description: {
			displayName: execute.name,
			name: execute.name,
			group: ['transform'],
			version: [1, 1.1, 3.2, 3.4],
			description: '',
			defaults: {},
			inputs: [NodeConnectionTypes.Main],
			outputs: [NodeConnectionTypes.Main],
			// n8n drops the parameters that a node type does not know (n8n-workflow 2.41,
			// NodeHelpers.getNodeParameters).
			properties: parameters.map((name) => ({
				displayName: name,
				name,
				type: 'string',
				default: '',
			})),
			...description,
		},
		async execute() {
			return [await execute.call(this)];
		},
	};
}

async function passOn(this: IExecuteFunctions) {
	return this.getInputData();
}

/** Edit Fields in mode "JSON". */
async function editFields(this: IExecuteFunctions) {
	return this.getInputData().map((_, item): INodeExecutionData => {
		const output = this.getNodeParameter('jsonOutput', item) as string | IDataObject;
		const json = typeof output === 'string' ? (JSON.parse(output) as IDataObject) : output;
		return { json, pairedItem: { item } };
	});
}

async function splitOut(this: IExecuteFunctions) {
	return this.getInputData().flatMap(({ json }, item) => {
		const values = json[this.getNodeParameter('fieldToSplitOut', item) as string] as IDataObject[];
		return values.map((value): INodeExecutionData => ({ json: value, pairedItem: { item } }));
	});
}

/** Read/Write Files from Disk with operation "Write File to Disk". */
async function writeFiles(this: IExecuteFunctions) {
	const written = this.getInputData().map(async ({ json, binary }, item) => {
		const fileName = this.getNodeParameter('fileName', item) as string;
		await writeFile(fileName, await this.helpers.getBinaryDataBuffer(item, 'data'));
		return { json: { ...json, fileName }, binary, pairedItem: { item } } as INodeExecutionData;
	});
	return await Promise.all(written);
}

/** Loop Over Items with a batch size of 1: output 0 is "done", output 1 "loop". */
function loopOverItems(): INodeType {
	const { description } = standIn(passOn, []);
	return {
		description: { ...description, outputs: [NodeConnectionTypes.Main, NodeConnectionTypes.Main] },
		async execute() {
			const state = this.getContext('node');
			const items = this.getInputData();
			if (state.left === undefined) Object.assign(state, { left: items, done: [] });
			else (state.done as INodeExecutionData[]).push(...items);
			const next = (state.left as INodeExecutionData[]).shift();
			return next ? [[], [next]] : [state.done as INodeExecutionData[], []];
		},
	};
}

/** Switch in mode "Rules": an item leaves at the output of the first rule whose condition is true. */
function switchByRules(): INodeType {
	const { description } = standIn(passOn, ['rules']);
	type Rules = { values: Array<{ conditions: { conditions: [{ leftValue: boolean }] } }> };
	return {
		description: { ...description, outputs: [NodeConnectionTypes.Main, NodeConnectionTypes.Main] },
		async execute() {
			const outputs: INodeExecutionData[][] = [[], []];
			for (const [index, item] of this.getInputData().entries()) {
				const { values } = this.getNodeParameter('rules', index) as Rules;
				const met = values.findIndex(({ conditions }) => conditions.conditions[0].leftValue);
				outputs[met]?.push({ ...item, pairedItem: { item: index } });
			}
			return outputs;
		},
	};
}
