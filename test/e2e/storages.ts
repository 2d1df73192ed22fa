import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { INode } from 'n8n-workflow';

import { DOWNLOAD, TRIGGER, workflowOf, type NodeSettings } from '../../dev/engine/workflows';
import type { N8nClient } from '../../dev/n8n/n8nClient';
import { useS3Server, type S3Server } from './s3Server';
import type { Here } from './setup';
import { useSftpServer, type SftpServer } from './sftpServer';

export const SFTP_CREDENTIAL = 'SFTP account';
export const S3_CREDENTIAL = 'S3 account';

/** The servers for the tests of one file, and n8n's credentials for them. */
export function useStorages(here: Here): { sftpServer: SftpServer; s3Server: S3Server } {
	const sftpServer = useSftpServer(here);
	const s3Server = useS3Server(here);
	beforeAll(async () => {
		await here.n8n.addCredential('sftp', SFTP_CREDENTIAL, sftpServer.credential);
		await here.n8n.addCredential('s3', S3_CREDENTIAL, s3Server.credential);
	});
	return { sftpServer, s3Server };
}

/** A place outside of n8n that keeps files, and the node of n8n that brings them there. */
export interface Storage {
	name: string;
	/** Stores each item's file in a new folder, under the file's own name. */
	nodeFor(folder: string): Promise<Pick<INode, 'type' | 'parameters' | 'credentials'>>;
	/** What is in a folder, by its name. */
	filesIn(folder: string): Promise<Map<string, StoredFile>>;
}

export interface StoredFile {
	bytes: number;
	sha256: string;
	/** Where the place keeps one. */
	mimeType?: string | null;
}

export function digestOf(content: Buffer) {
	return { bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') };
}

const nameOf = '{{ $binary.data.fileName }}';

/** The folder that n8n lets nodes write to. */
export const disk = (place: { files: string }): Storage => ({
	name: 'disk',
	nodeFor: async (folder) => {
		await mkdir(join(place.files, folder)); // the node makes none
		const fileName = `=${join(place.files, folder)}/${nameOf}`;
		return {
			type: 'n8n-nodes-base.readWriteFile',
			parameters: { operation: 'write', fileName },
		};
	},
	filesIn: async (folder) => await readFolder(join(place.files, folder)),
});

export const sftp = (server: SftpServer): Storage => ({
	name: 'SFTP',
	nodeFor: async (folder) => ({
		type: 'n8n-nodes-base.ftp',
		parameters: {
			protocol: 'sftp',
			operation: 'upload',
			path: `=${server.files}/${folder}/${nameOf}`,
			binaryData: true,
		},
		credentials: { sftp: { id: null, name: SFTP_CREDENTIAL } },
	}),
	filesIn: async (folder) => await readFolder(join(server.files, folder)),
});

export const s3 = (server: S3Server): Storage => ({
	name: 'S3',
	nodeFor: async (folder) => ({
		type: 'n8n-nodes-base.s3',
		parameters: {
			resource: 'file',
			operation: 'upload',
			bucketName: server.bucket,
			fileName: `=${folder}/${nameOf}`,
			binaryData: true,
		},
		credentials: { s3: { id: null, name: S3_CREDENTIAL } },
	}),
	filesIn: async (folder) => {
		const objects = [...(await server.objects(`${folder}/`))];
		return new Map(
			objects.map(([name, { content, mimeType }]) => [name, { ...digestOf(content), mimeType }]),
		);
	},
});

async function readFolder(path: string): Promise<Map<string, StoredFile>> {
	const names = await readdir(path).catch(() => []); // nothing was stored: there is no folder
	const files = names.map(
		async (name) => [name, digestOf(await readFile(join(path, name)))] as const,
	);
	return new Map(await Promise.all(files));
}

/** Downloads the file of each item and stores it: what n8n tells, and what is there then. */
export async function downloadInto(
	storage: Storage,
	n8n: N8nClient,
	items: object[],
	options: object = {},
	settings: NodeSettings = {},
) {
	const folder = randomUUID();
	const storing = await storage.nodeFor(folder);
	const workflow = workflowOf(
		items.map((item) => ({ ...item })),
		{ ...DOWNLOAD, options },
		settings,
	);
	const nodes = workflow.nodes.map((node) =>
		node.name === 'After' ? { ...node, ...storing } : node,
	);
	const { id } = await n8n.addWorkflow({ ...workflow, nodes });
	const execution = await n8n.run(id, TRIGGER);
	return { execution, files: await storage.filesIn(folder) };
}
