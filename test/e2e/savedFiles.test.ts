import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';

import type { INode } from 'n8n-workflow';

import type { Execution } from '../../dev/n8n/n8nClient';
import { fieldsOf, samples } from '../../dev/sandbox/samples';
import { readExample } from '../../dev/start/readExample';
import { eventually } from './editor';
import { useN8n } from './setup';
import {
	digestOf,
	S3_CREDENTIAL,
	s3,
	sftp,
	SFTP_CREDENTIAL,
	type Storage,
	useStorages,
} from './storages';

const here = useN8n();
const { sftpServer, s3Server } = useStorages(here);

/** What a person fills in to use another storage. */
interface Choice {
	node: string;
	storage: () => Storage;
	filledIn(node: INode): Partial<INode>;
}
const FOLDER = 'received';
const CHOICES: Choice[] = [
	{
		node: 'Save to S3',
		storage: () => s3(s3Server),
		filledIn: ({ parameters: { fileName, ...others } }) => ({
			parameters: {
				...others,
				bucketName: s3Server.bucket,
				fileName: String(fileName).replace('=', `=${FOLDER}/`),
			},
			credentials: { s3: { id: null, name: S3_CREDENTIAL } },
		}),
	},
	{
		node: 'Save by SFTP',
		storage: () => sftp(sftpServer),
		filledIn: ({ parameters: { path, ...others } }) => ({
			parameters: {
				...others,
				path: String(path).replace('/files/', `${sftpServer.files}/${FOLDER}/`),
			},
			credentials: { sftp: { id: null, name: SFTP_CREDENTIAL } },
		}),
	},
];

/** What a person changes in the recipe, by the names of its nodes. */
type Changes = Record<string, (node: INode) => Partial<INode>>;
const off = () => ({ disabled: true });
const on = () => ({ disabled: false });

/** Publishes the recipe. */
async function publish(changes: Changes) {
	const places = { sandbox: here.sandbox.url, files: here.files };
	const recipe = await readExample('save-files-from-callbacks', places);
	const webhookId = randomUUID(); // as n8n's editor gives to what it imports
	const changed: Changes = { ...changes, 'Workchat Trigger': () => ({ webhookId }) };
	const nodes = recipe.nodes.map((node) => ({ ...node, ...changed[node.name]?.(node) }));
	const saved = await here.n8n.addWorkflow({ ...recipe, nodes, name: `Save files ${webhookId}` });
	await here.n8n.publish(saved);
	const url = `${here.n8n.url}/webhook/${webhookId}/workchat`;
	let posted = 0;
	/** Posts a callback; resolves to its execution. */
	return async (files: object[]): Promise<Execution> => {
		const body = JSON.stringify({ files });
		const headers = { 'Content-Type': 'application/json' };
		expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(200);
		posted++;
		await eventually(async () => {
			const listed = await here.n8n.executions(saved.id);
			expect(listed.filter(({ stoppedAt }) => stoppedAt)).toHaveLength(posted);
		});
		const [latest] = await here.n8n.executions(saved.id);
		return await here.n8n.execution(latest?.id ?? '');
	};
}

const { document, largeImage } = samples;
const twins = () => [
	fieldsOf(document, here.sandbox.url),
	fieldsOf(document, `${here.sandbox.url}/again`),
];

describe.each(CHOICES)('save files from callbacks: $node', ({ node, storage, filledIn }) => {
	test('files of one name are kept beside each other, and one that is gone stops no other', async () => {
		const fillIn = (chosen: INode) => ({ ...filledIn(chosen), ...on() });
		const post = await publish({ 'Save to Disk': off, [node]: fillIn });
		const gone = fieldsOf(largeImage, here.sandbox.url);
		here.sandbox.misbehave(
			{ kind: 'refuse', code: 9, message: 'example: it is gone' },
			{ when: ({ fileUrl }) => fileUrl === gone.fileUrl, times: Infinity },
		);
		const [one, another] = twins();
		const first = await post([one!, gone, another!]);
		expect(first.status).toBe('error');
		expect(first.data.resultData.error?.message).toMatch(
			/^1 of 3 files could not be downloaded; the others went to the storage\. \S+photo\.jpg\.encrypted: .*it is gone/,
		);
		const second = await post(twins());
		expect(second.status).toBe('success');

		const kept = await storage().filesIn(FOLDER);
		const names = [first, second].flatMap(({ id }) =>
			[1, 2].map((item) => `${id}-${item}-${document.name}`),
		);
		expect(new Set(kept.keys())).toEqual(new Set(names));
		for (const file of kept.values()) expect(file).toMatchObject(digestOf(document.content));
	});
});

test('with Remove Duplicates, a callback that comes twice is saved once', async () => {
	const post = await publish({ 'Remove Duplicates': on });
	const [one, another] = twins();
	const { id } = await post([one!]);
	const second = await post([one!, another!, { ...one, fileUrl: null }]);
	expect(second.status).toBe('error');
	expect(second.data.resultData.error?.message).toMatch(
		/^1 of 2 files could not be downloaded; .* a file without a link: fileUrl is empty in file$/,
	);
	const saved = await readdir(here.files);
	const names = [id, second.id].map((each) => `${each}-1-${document.name}`);
	expect(new Set(saved)).toEqual(new Set(names));
});
