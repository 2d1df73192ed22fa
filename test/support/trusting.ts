import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';

import execa, { type ExecaChildProcess } from 'execa';
import type { ICredentialDataDecryptedObject, INodeExecutionData } from 'n8n-workflow';

import type { WorkflowJson } from '../../dev/engine/engine';

/** n8n's engine where one more certificate is trusted: Node reads NODE_EXTRA_CA_CERTS as it starts. */
export class TrustingEngine {
	private readonly lines: Interface;

	private constructor(
		private readonly child: ExecaChildProcess,
		private readonly folder: string,
	) {
		this.lines = createInterface(child.stdout!);
	}

	static async start(certificate: string): Promise<TrustingEngine> {
		const folder = await mkdtemp(join(tmpdir(), 'workchat-trusting-'));
		const file = join(folder, 'certificate.pem');
		await writeFile(file, certificate);
		const script = join(__dirname, 'processes', 'trusting.js');
		const env = { NODE_EXTRA_CA_CERTS: file, TMPDIR: folder, TEMP: folder };
		const child = execa(process.execPath, [script], { env, buffer: false, stderr: 'inherit' });
		return new TrustingEngine(child, folder);
	}

	/** What our node puts out. */
	async run(
		workflow: WorkflowJson,
		credential: ICredentialDataDecryptedObject,
	): Promise<INodeExecutionData[]> {
		this.child.stdin!.write(`${JSON.stringify({ workflow, credential })}\n`);
		const [line] = (await once(this.lines, 'line')) as [string];
		return JSON.parse(line) as INodeExecutionData[];
	}

	async stop(): Promise<void> {
		this.child.stdin!.end();
		await this.child;
		await rm(this.folder, { recursive: true, force: true });
	}
}
