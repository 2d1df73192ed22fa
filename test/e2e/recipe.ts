import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { IDataObject } from 'n8n-workflow';

import type { Execution } from '../../dev/n8n/n8nClient';
import { readExample, type ExampleName } from '../../dev/start/readExample';
import { eventually, type Editor } from './editor';
import type { Here } from './setup';

/** The recipes as a person uses them: in n8n's editor. */
export function useRecipes(here: Here, opened: { editor: Editor }) {
	return {
		/** The recipients of all requests so far. */
		asked: () => here.sandbox.requests.map(({ body }) => body?.toId),

		/** By the menu; resolves to the workflow's name. */
		async importRecipe(name: ExampleName, edit = (json: string) => json): Promise<string> {
			const recipe = await readExample(name, { sandbox: here.sandbox.url, files: here.files });
			const path = join(here.folder, `${name}.json`);
			await writeFile(path, edit(JSON.stringify(recipe)));
			await opened.editor.importWorkflow(path);
			return recipe.name ?? '';
		},

		/** The executions of the workflow with this name, the latest first, when so many have ended. */
		async ended(workflow: string, count: number): Promise<Execution[]> {
			let ids: string[] = [];
			await eventually(async () => {
				const found = (await here.n8n.workflows()).find(({ name }) => name === workflow);
				const executions = await here.n8n.executions(found?.id ?? 'none');
				expect(executions.map(({ status }) => /success|error/.test(status))).toEqual(
					Array(count).fill(true),
				);
				ids = executions.map(({ id }) => id);
			});
			return await Promise.all(ids.map(async (id) => await here.n8n.execution(id)));
		},
	};
}

/** From the node's first output. */
export function itemsOf(execution: Execution | undefined, node: string): IDataObject[] {
	const main = execution?.data.resultData.runData[node]?.[0]?.data?.main;
	return (main?.[0] ?? []).map(({ json }) => json);
}
