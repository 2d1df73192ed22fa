import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';

import spawn from 'cross-spawn';
import type { ICredentialDataDecryptedObject, INodeExecutionData } from 'n8n-workflow';

import type { WorkflowJson } from '../../dev/engine/engine';

/** n8n's engine where one more certificate is trusted: Node reads NODE_EXTRA_CA_CERTS as it starts. */
export class TrustingEngine {
	private readonly lines: Interface;

	private constructor(
		private readonly child: ChildProcess,
		private readonly folder: string,
	) {
		this.lines = createInterface(child.stdout!);
	}

	static async start(certificate: string): Promise<TrustingEngine> {
		const folder = await mkdtemp(join(tmpdir(), 'workchat-trusting-'));
		const file = join(folder, 'certificate.pem');
		await writeFile(file, certificate);
		const script = join(__dirname, 'processes', 'trusting.js');
		const env = { ...process.env, NODE_EXTRA_CA_CERTS: file, TMPDIR: folder, TEMP: folder };
		return new TrustingEngine(
			spawn(process.execPath, [script], { env, stdio: ['pipe', 'pipe', 'inherit'] }),
			folder,
		);
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
		if (this.child.exitCode === null) await once(this.child, 'exit');
		await rm(this.folder, { recursive: true, force: true });
	}
}
