import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { NodeHelpers, type INode, type INodeTypeDescription } from 'n8n-workflow';

import { nodeOf, TRIGGER } from '../../dev/engine/workflows';
import type { WorkflowJson } from '../../dev/engine/engine';
import { EXAMPLE_TRIGGER, readExample } from '../../dev/start/readExample';
import { eventually } from './editor';
import { itemsOf, useRecipes } from './recipe';
import { useEditor, useN8n } from './setup';

const MINUTES = 60_000;

const here = useN8n();
const opened = useEditor(here);
const { asked, importRecipe, ended } = useRecipes(here, opened);

/** Each node leads to the next. */
function chain(name: string, nodes: INode[]): WorkflowJson {
	const pairs = nodes.slice(1).map(({ name: next }, index) => [nodes[index]!.name, next] as const);
	const leadTo = (node: string) => ({ main: [[{ node, type: 'main' as const, index: 0 }]] });
	return {
		name,
		nodes: nodes.map((node, index) => ({ ...node, position: [index * 220, 0] })),
		connections: Object.fromEntries(pairs.map(([node, next]) => [node, leadTo(next)])),
		settings: { executionOrder: 'v1' },
	};
}

/** A workflow that a person has already, with which a recipe is to work. */
async function importOwn(workflow: WorkflowJson): Promise<void> {
	const path = join(here.folder, 'own.json');
	await writeFile(path, JSON.stringify(workflow));
	await opened.editor.importWorkflow(path);
}

test(
	'send one video: another workflow calls it, and gets back what became of each',
	async () => {
		const { editor } = opened;
		const recipe = await importRecipe('send-one-video');
		await editor.publish();

		await importOwn(
			chain('My list', [
				nodeOf(TRIGGER, 'n8n-nodes-base.manualTrigger'),
				nodeOf('List', 'n8n-nodes-base.code', {
					typeVersion: 2,
					parameters: {
						jsCode:
							"return [1, 2, 3].map((n) => ({ json: { toId: `customer-${n}`, name: 'Example' } }));",
					},
				}),
				nodeOf('Call', 'n8n-nodes-base.executeWorkflow', { typeVersion: 1.4 }),
			]),
		);
		await editor.openNode('Call');
		await editor.see('rlc-input').click();
		await editor.see('rlc-item').filter({ hasText: recipe }).click();
		await editor.closeNode();

		here.sandbox.misbehave(
			{ kind: 'refuse', code: 1, message: 'example reason' },
			{ toId: 'customer-2' },
		);
		here.sandbox.misbehave({ kind: 'dropAfterAccepting' }, { toId: 'customer-3' });
		expect(await editor.execute()).toContain('Workflow executed successfully');
		const [first] = await ended('My list', 1);
		const svc = expect.stringMatching(/^svc_/);
		const reason = (words: string) => expect.stringContaining(words);
		expect(itemsOf(first, 'Call')).toEqual([
			{ toId: 'customer-1', status: 'sent', request_id: svc, reason: '' },
			{ toId: 'customer-2', status: 'rejected', request_id: svc, reason: reason('example reason') },
			{
				toId: 'customer-3',
				status: 'unknown',
				request_id: '',
				reason: reason('closed the connection'),
			},
		]);

		here.sandbox.requests.length = 0;
		await editor.execute();
		const [second] = await ended('My list', 2);
		expect(asked()).toEqual(['customer-2']);
		expect(itemsOf(second, 'Call').map(({ toId, status }) => [toId, status])).toEqual([
			['customer-1', 'skipped'],
			['customer-2', 'sent'],
			['customer-3', 'unknown'],
		]);
	},
	3 * MINUTES,
);

describe('campaign from a Google Sheet', () => {
	const recipe = async () =>
		await readExample('campaign-from-google-sheets', { sandbox: '', files: '' });
	const isGoogle = ({ type }: INode) => type === 'n8n-nodes-base.googleSheets';

	test('n8n knows the parameters of the nodes for Google, and none is without effect', async () => {
		const response = await fetch(`${here.n8n.url}/types/nodes.json`, {
			headers: { Cookie: here.n8n.session.cookie },
		});
		const types = (await response.json()) as INodeTypeDescription[];
		const nodes = (await recipe()).nodes.filter(isGoogle);
		expect(nodes.map(({ name }) => name)).toEqual(['Get Rows', 'Write Status']);
		for (const node of nodes) {
			const versions = types.filter(({ name }) => name === node.type);
			const description = versions.find(({ version }) =>
				[version].flat().includes(node.typeVersion),
			);
			expect(description?.defaultVersion).toBe(node.typeVersion);
			const known = NodeHelpers.getNodeParameters(
				description!.properties,
				node.parameters,
				false,
				false,
				node,
				description!,
			);
			expect(known).toEqual(node.parameters);
		}
	});

	test(
		'choosing the credential for Google leaves the nodes as they are filled in',
		async () => {
			const { editor } = opened;
			const credential = { clientId: 'fake-id', clientSecret: 'fake-secret' };
			for (const name of ['Example Google', 'Another Google']) {
				await here.n8n.addCredential('googleSheetsOAuth2Api', name, credential);
			}
			const imported = await importRecipe('campaign-from-google-sheets');
			for (const node of ['Get Rows', 'Write Status']) {
				await editor.openNode(node);
				await editor.see('node-credentials-select').click();
				await editor.page.getByText('Example Google').last().click();
				await editor.closeNode();
			}
			await eventually(async () => {
				const found = (await here.n8n.workflows()).find(({ name }) => name === imported);
				const { nodes } = await here.n8n.call<WorkflowJson>('GET', `workflows/${found?.id}`);
				const google = nodes.filter(isGoogle);
				expect(google.map(({ credentials }) => credentials?.googleSheetsOAuth2Api?.name)).toEqual([
					'Example Google',
					'Example Google',
				]);
				const parametersOf = (all: INode[]) => all.map(({ parameters }) => parameters);
				expect(parametersOf(google)).toEqual(parametersOf((await recipe()).nodes.filter(isGoogle)));
			});
		},
		2 * MINUTES,
	);

	test(
		'with a Data Table in place of the sheet: each row says what became of it',
		async () => {
			const project = await here.n8n.call<{ id: string }>('GET', 'projects/personal');
			const tables = `projects/${project.id}/data-tables`;
			const columns = ['toId', 'status', 'request_id', 'reason'];
			const sheet = await here.n8n.call<{ id: string }>('POST', tables, {
				name: 'In place of a sheet',
				columns: [
					{ name: 'row_number', type: 'number' },
					...columns.map((name) => ({ name, type: 'string' })),
				],
			});
			const people = ['', '', '', ''].map((status, index) => ({
				row_number: index + 2,
				toId: `customer-${index + 1}`,
				status,
			}));
			people[3]!.status = 'sent';
			await here.n8n.call('POST', `${tables}/${sheet.id}/insert`, { data: people });
			const rows = async () =>
				(
					await here.n8n.call<{ data: Array<Record<string, unknown>> }>(
						'GET',
						`${tables}/${sheet.id}/rows?take=10&sortBy=row_number:asc`,
					)
				).data.map(({ toId, status, request_id, reason }) => ({
					toId,
					status,
					request_id,
					reason,
				}));

			const dataTableId = { __rl: true, mode: 'id', value: sheet.id };
			const asDataTable = (node: INode): INode => {
				const { columns: written, operation = 'get' } = node.parameters;
				const { row_number, ...value } =
					((written as { value?: object } | undefined)?.value as Record<string, string>) ?? {};
				const filters = {
					conditions: [{ keyName: 'row_number', condition: 'eq', keyValue: row_number }],
				};
				return {
					...node,
					type: 'n8n-nodes-base.dataTable',
					typeVersion: 1.1,
					parameters:
						operation === 'get'
							? { resource: 'row', operation, dataTableId, returnAll: true }
							: {
									resource: 'row',
									operation,
									dataTableId,
									matchType: 'allConditions',
									filters,
									columns: { mappingMode: 'defineBelow', value, matchingColumns: [], schema: [] },
									options: {},
								},
				};
			};
			const imported = await recipe();
			const { id } = await here.n8n.addWorkflow({
				...imported,
				nodes: imported.nodes.map((node) => (isGoogle(node) ? asDataTable(node) : node)),
			});

			here.sandbox.misbehave(
				{ kind: 'refuse', code: 1, message: 'example reason' },
				{ toId: 'customer-2' },
			);
			here.sandbox.misbehave({ kind: 'dropAfterAccepting' }, { toId: 'customer-3' });
			expect((await here.n8n.run(id, EXAMPLE_TRIGGER)).status).toBe('success');
			const svc = expect.stringMatching(/^svc_/);
			const reason = (words: string) => expect.stringContaining(words);
			const sent = { status: 'sent', request_id: svc, reason: '' };
			const lost = {
				toId: 'customer-3',
				status: 'unknown',
				request_id: '',
				reason: reason('closed the connection'),
			};
			expect(await rows()).toEqual([
				{ toId: 'customer-1', ...sent },
				{
					toId: 'customer-2',
					status: 'rejected',
					request_id: svc,
					reason: reason('example reason'),
				},
				lost,
				{ toId: 'customer-4', status: 'sent', request_id: null, reason: null },
			]);

			here.sandbox.requests.length = 0;
			expect((await here.n8n.run(id, EXAMPLE_TRIGGER)).status).toBe('success');
			expect(asked()).toEqual(['customer-2']);
			expect((await rows()).slice(1, 3)).toEqual([{ toId: 'customer-2', ...sent }, lost]);
		},
		2 * MINUTES,
	);
});
