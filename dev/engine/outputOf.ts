import type { INodeExecutionData, IRun } from 'n8n-workflow';

/** The items that a node put out in its last run. */
export function outputOf(
	{ data }: Pick<IRun, 'data'>,
	nodeName: string,
	output = 0,
): INodeExecutionData[] {
	return data.resultData.runData[nodeName]?.at(-1)?.data?.main?.[output] ?? [];
}
