import type { Installation } from '../n8n/installation';
import { removeFolder, temporaryFolder } from '../n8n/processes';
import { N8nContender } from './contenders/n8n';
import { Child } from './child';
import type { Entry, Section } from './plan';
import type { Order } from './sandbox';
import { Watch } from './watch';
import {
	requestsOf,
	warmUpOf,
	type Contender,
	type ContenderName,
	type Done,
	type N8nContenderName,
	type Target,
	type Work,
} from './work';

/** One measurement. */
export interface Sample extends Pick<Done, 'standstill'> {
	seconds: number;
	/** Beyond what the process had at the beginning. */
	peakBytes: number;
}

const N8N_CONTENDERS: N8nContenderName[] = ['workchat', 'httpRequest', 'floor'];

/** A sandbox, and the contenders of one section, each in a process of its own. */
export class Stage {
	private constructor(
		private readonly installation: Installation,
		private readonly folder: string,
		private readonly sandbox: Child,
		private readonly target: Target,
		private readonly n8n: Map<ContenderName, N8nContender>,
	) {}

	static async open(installation: Installation, { groups }: Section): Promise<Stage> {
		const names = new Set(groups.flat().map(({ contender }) => contender));
		const folder = await temporaryFolder();
		const sandbox = new Child('sandbox.js', installation.env);
		const target = await sandbox.ask<Target>({ tell: 'target' } satisfies Order);
		const n8n = new Map<ContenderName, N8nContender>();
		for (const name of N8N_CONTENDERS.filter((name) => names.has(name))) {
			n8n.set(name, await N8nContender.start(name, target, installation));
		}
		return new Stage(installation, folder, sandbox, target, n8n);
	}

	async measure({ contender, work }: Entry): Promise<Sample> {
		const n8n = this.n8n.get(contender);
		if (n8n) return await this.watched(n8n, work);
		// The requests alone, over connections that are kept.
		const { env } = this.installation;
		const args = [JSON.stringify(this.target), this.folder];
		const axios = new Child('contenders/axiosLoop.js', env, ...args);
		try {
			const { pid } = axios;
			return await this.watched({ pid, perform: async (each) => await axios.ask(each) }, work);
		} finally {
			await axios.stop();
		}
	}

	async close(): Promise<void> {
		for (const n8n of this.n8n.values()) await n8n.stop();
		await this.sandbox.stop();
		await removeFolder(this.folder);
	}

	private async watched(contender: Contender, work: Work): Promise<Sample> {
		await this.checked(contender, warmUpOf(work));
		const watch = new Watch(contender.pid);
		try {
			const { from, to, standstill } = await this.checked(contender, work);
			return { seconds: (to - from) / 1000, peakBytes: watch.peakBytes(from, to), standstill };
		} finally {
			watch.stop();
		}
	}

	/** Throws where an item or a byte is missing, or a request came twice. */
	private async checked(contender: Contender, work: Work): Promise<Done> {
		await this.sandbox.ask({ prepare: work } satisfies Order);
		const done = await contender.perform(work);
		const requests = await this.sandbox.ask<number>({ tell: 'requests' } satisfies Order);
		const bytes = work.kind === 'download' ? work.items * work.bytes : 0;
		const isRight = done.items === work.items && done.bytes === bytes;
		if (isRight && requests === requestsOf(work)) return done;
		throw new Error(`Not what was asked for: ${JSON.stringify({ work, came: done, requests })}`);
	}
}
